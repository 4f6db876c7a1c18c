import { type FileHandle, lstat, realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { FindReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { cutText } from '../../shared/cut-text.js'
import { toRelativePath } from '../../shared/path-containment.js'
import { acceptOwnersOf, type OwnerTest } from '../../system/accepted-owners.js'
import { readJudgedFile } from '../read-judged-file.js'

/** A file with instructions for agents, such as AGENTS.md. */
export interface InstructionFile {
  readonly path: string
  readonly text: string
  /** Set if the file comes from a project that the user does not trust. The model gets it as quoted data. */
  readonly isUntrusted?: true
}

/** Where `loadInstructions` looks for `AGENTS.md` and `CLAUDE.md`. */
export interface LoadInstructionsOptions {
  readonly cwd: string
  readonly projectRoot: string
  /** Undefined if there is no home folder. */
  readonly home: string | undefined
  /** Whether the user trusts the project. Otherwise its files are marked as untrusted. */
  readonly isTrusted: boolean
  /** Returns the rule that forbids reading a file without approval. The content is sent to the model without a call. */
  readonly findRestriction?: FindReadRestriction
  readonly onProblem?: (problem: string) => void
}

/** In each folder, all of these files are used, except one whose text is part of the other: it is often a link or an import. */
const INSTRUCTION_FILE_NAMES = ['AGENTS.md', 'CLAUDE.md'] as const
const LOCAL_NAMES = ['AGENTS.local.md', 'CLAUDE.local.md'] as const
/** The maximum length of all files together, so that they do not fill the context window. */
export const MAX_INSTRUCTION_CHARS = 40_000
const MAX_FILE_BYTES = 256 * 1024
const TEXT_DOCUMENT = /\.(?:md|mdx|mdc|markdown|txt|rst|adoc)$/i
const MAX_IMPORTS = 20
const MAX_IMPORT_DEPTH = 4

/** Loads the instruction files: the user's first, then those from the project root down to the working folder. */
export async function loadInstructions(options: LoadInstructionsOptions): Promise<readonly InstructionFile[]> {
  const { home, isTrusted } = options
  const [projectRoot, cwd] = await Promise.all([resolveFolder(options.projectRoot), resolveFolder(options.cwd)])
  const userPaths = home === undefined ? [] : [[join(home, '.haft', 'AGENTS.md')], [join(home, '.claude', 'CLAUDE.md')]]
  const projectPaths = listFoldersFromRoot(projectRoot, cwd).flatMap((folder) =>
    [INSTRUCTION_FILE_NAMES, LOCAL_NAMES].map((names) => names.map((name) => join(folder, name))),
  )
  const userScope = {
    ...options,
    bounds: home ?? projectRoot,
    isAcceptedOwner: await acceptOwnersOf(home ?? projectRoot),
  }
  const projectScope = { ...options, bounds: projectRoot, isAcceptedOwner: await acceptOwnersOf(cwd) }
  const [userFiles, projectFiles] = await Promise.all([
    Promise.all(userPaths.map((paths) => readFiles(paths, userScope))),
    Promise.all(projectPaths.map((paths) => readFiles(paths, projectScope))),
  ])
  return limitLength(
    [...userFiles.flat(), ...projectFiles.flat().map((file) => (isTrusted ? file : markAsUntrusted(file)))],
    options,
  )
}

function markAsUntrusted(file: InstructionFile): InstructionFile {
  return { ...file, isUntrusted: true }
}

function resolveFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder)
}

/** Returns the folders from the root to the working folder, or only the working folder if it is outside the root. */
function listFoldersFromRoot(root: string, cwd: string): readonly string[] {
  const relativePath = toRelativePath(cwd, root)
  if (relativePath === undefined) return [cwd]
  if (relativePath === '') return [root]
  const names = relativePath.split(sep)
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))]
}

/** The limits for an instruction file and its imports: the folder that contains them, their owners and the rules. */
interface ReadInstructionsOptions extends Pick<LoadInstructionsOptions, 'findRestriction' | 'onProblem'> {
  readonly bounds: string
  readonly isAcceptedOwner: OwnerTest
}

/** Reads the files of one folder that have text, without those whose text another one contains. */
async function readFiles(
  paths: readonly string[],
  scope: ReadInstructionsOptions,
): Promise<readonly InstructionFile[]> {
  const files: InstructionFile[] = []
  for (const path of paths) {
    const text = await readText(path, scope)
    if (text === undefined || text.trim() === '') continue
    const imports = new ImportReader(scope)
    files.push({ path, text: (await imports.expand(text, dirname(path), 0)).trim() })
  }
  return files.filter(({ text }, index) => {
    const containsText = (other: InstructionFile, at: number) =>
      at !== index && other.text.includes(text) && (other.text !== text || at < index)
    return !files.some(containsText)
  })
}

/**
 * Reads an instruction file. Its content is sent to the model without a call. A symbolic link could expose a secret outside the
 * project, and an import could expose one inside it. So only text documents are read here, of accepted owners, that no deny or
 * ask rule covers.
 */
async function readText(path: string, scope: ReadInstructionsOptions): Promise<string | undefined> {
  const { bounds, isAcceptedOwner, findRestriction, onProblem } = scope
  const accepts = async (realFile: string) =>
    TEXT_DOCUMENT.test(realFile) && isAcceptedOwner(await lstat(dirname(realFile)))
  const options = { boundary: await resolveFolder(bounds), findRestriction, accepts }
  const file = await readJudgedFile(path, options, (handle) => readContent(handle, scope))
  if (file.kind === 'restricted') onProblem?.(`${path} is not included in the instructions: ${file.reason}.`)
  // Most folders have no instructions file. Unreadable files are ignored as well.
  return file.kind === 'read' ? file.value : undefined
}

async function readContent(
  file: FileHandle,
  { isAcceptedOwner }: ReadInstructionsOptions,
): Promise<string | undefined> {
  const stats = await file.stat()
  if (!isAcceptedOwner(stats)) return undefined
  const bytes = Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  return bytes.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '')
}

/** `@path` inside a line, but not in an address such as `a@b.md`. */
const INLINE_IMPORT = /(?<=^|\s|\()@([^\s@`()]+)/g

/**
 * Replaces lines that consist of `@path` with the content of that file, and adds the content below a line that contains `@path`
 * outside code, as other agents do.
 */
class ImportReader {
  readonly #scope: ReadInstructionsOptions
  #count = 0

  constructor(scope: ReadInstructionsOptions) {
    this.#scope = scope
  }

  async expand(text: string, folder: string, depth: number): Promise<string> {
    if (depth >= MAX_IMPORT_DEPTH || !/@\S/.test(text)) return text
    const lines: string[] = []
    let isCode = false
    for (const line of text.split('\n')) {
      if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
      lines.push(isCode ? line : await this.#expandLine(line, folder, depth))
    }
    return lines.join('\n')
  }

  async #expandLine(line: string, folder: string, depth: number): Promise<string> {
    const importPath = /^@([^\s@]+)\s*$/.exec(line)?.[1]
    if (importPath === undefined) return this.#addImports(line, folder, depth)
    return (await this.#read(importPath, folder, depth)) ?? line
  }

  async #addImports(line: string, folder: string, depth: number): Promise<string> {
    const importedTexts: string[] = []
    for (const [, written = ''] of line.replace(/`[^`]*`/g, '').matchAll(INLINE_IMPORT)) {
      const importPath = written.replace(/[.,;:!?]+$/, '')
      const text = TEXT_DOCUMENT.test(importPath) ? await this.#read(importPath, folder, depth) : undefined
      if (text !== undefined) importedTexts.push(text)
    }
    return [line, ...importedTexts].join('\n')
  }

  /** Returns the content of an import with its own imports; undefined if it cannot be read. */
  async #read(importPath: string, folder: string, depth: number): Promise<string | undefined> {
    if (this.#count >= MAX_IMPORTS) return undefined
    const path = resolve(folder, importPath)
    const text = await readText(path, this.#scope)
    if (text === undefined) return undefined
    this.#count++
    return this.expand(text.trimEnd(), dirname(path), depth + 1)
  }
}

/** Truncates the files farthest from the working folder first, because the nearest ones are the most specific. */
function limitLength(
  files: readonly InstructionFile[],
  { onProblem }: LoadInstructionsOptions,
): readonly InstructionFile[] {
  const limitedFiles: InstructionFile[] = []
  let charsLeft = MAX_INSTRUCTION_CHARS
  for (const file of [...files].reverse()) {
    if (file.text.length > charsLeft)
      onProblem?.(
        `${file.path} is too long: only its first ${charsLeft} characters are used. Shorten the instruction files.`,
      )
    const text = cutText(file.text, charsLeft)
    charsLeft -= text.length
    if (text !== '') limitedFiles.unshift({ ...file, text })
  }
  return limitedFiles
}
