import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { isPathInside, pathBelow } from '../../shared/path-containment.js'

/** A file with instructions for agents, such as AGENTS.md. */
export interface InstructionFile {
  readonly path: string
  readonly text: string
}

/** Where `loadInstructions` looks for `AGENTS.md` and `CLAUDE.md`. */
export interface InstructionPlace {
  readonly cwd: string
  readonly projectRoot: string
  /** Undefined if there is no home folder. */
  readonly home: string | undefined
  readonly onProblem?: (problem: string) => void
}

/** Only the first one with text in a folder is used: often one of them just refers to the other. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const
const LOCAL_NAMES = ['AGENTS.local.md', 'CLAUDE.local.md'] as const
/** For all files together, so that they do not fill the context window. */
export const MAX_INSTRUCTION_CHARS = 40_000
const MAX_FILE_BYTES = 256 * 1024
const TEXT_DOCUMENT = /\.(?:md|mdx|mdc|markdown|txt|rst|adoc)$/i
const MAX_IMPORTS = 20
const MAX_IMPORT_DEPTH = 4

/** Loads the instruction files: the user's first, then those from the project root down to the working folder. */
export async function loadInstructions(options: InstructionPlace): Promise<readonly InstructionFile[]> {
  const { cwd, projectRoot, home } = options
  const userPaths = home === undefined ? [] : [[join(home, '.haft', 'AGENTS.md')], [join(home, '.claude', 'CLAUDE.md')]]
  const projectPaths = foldersFromRoot(projectRoot, cwd).flatMap((folder) =>
    [NAMES, LOCAL_NAMES].map((names) => names.map((name) => join(folder, name))),
  )
  const foundFiles = await Promise.all([
    ...userPaths.map((paths) => readFirst(paths, home ?? projectRoot)),
    ...projectPaths.map((paths) => readFirst(paths, projectRoot)),
  ])
  return limitLength(
    foundFiles.flatMap((file) => file ?? []),
    options,
  )
}

/** The folders from the root to the working folder, or only the working folder if it is outside the root. */
function foldersFromRoot(root: string, cwd: string): readonly string[] {
  const relativePath = pathBelow(cwd, root)
  if (relativePath === undefined) return [cwd]
  if (relativePath === '') return [root]
  const names = relativePath.split(sep)
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))]
}

async function readFirst(paths: readonly string[], bounds: string): Promise<InstructionFile | undefined> {
  for (const path of paths) {
    const text = await readText(path, bounds)
    if (text === undefined || text.trim() === '') continue
    const imports = new ImportReader(bounds)
    return { path, text: (await imports.expand(text, dirname(path), 0)).trim() }
  }
  return undefined
}

/**
 * The content is sent to the model without a permission check. A symbolic link could expose a secret outside the project,
 * and an import could expose one inside it. Only text documents are read here; other files need the Read tool, which
 * checks the rules.
 */
async function readText(path: string, bounds: string): Promise<string | undefined> {
  try {
    const [realFile, realBounds] = await Promise.all([realpath(path), realpath(bounds)])
    if (!isPathInside(realFile, realBounds) || !TEXT_DOCUMENT.test(realFile)) return undefined
    // A named pipe must not block the start.
    const file = await open(realFile, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return undefined
      const bytes = Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
      return bytes.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '')
    } finally {
      await file.close()
    }
  } catch {
    // Most folders have no such file. Unreadable files are ignored, too.
    return undefined
  }
}

/** Replaces lines that consist of `@path` with the content of that file, as other agents do. */
class ImportReader {
  readonly #bounds: string
  #count = 0

  constructor(bounds: string) {
    this.#bounds = bounds
  }

  async expand(text: string, folder: string, depth: number): Promise<string> {
    if (depth >= MAX_IMPORT_DEPTH || !/^@\S/m.test(text)) return text
    const lines: string[] = []
    for (const line of text.split('\n')) lines.push(await this.#expandLine(line, folder, depth))
    return lines.join('\n')
  }

  async #expandLine(line: string, folder: string, depth: number): Promise<string> {
    const importPath = /^@([^\s@]+)\s*$/.exec(line)?.[1]
    if (importPath === undefined || this.#count >= MAX_IMPORTS) return line
    const path = resolve(folder, importPath)
    const text = await readText(path, this.#bounds)
    if (text === undefined) return line
    this.#count++
    return this.expand(text.trimEnd(), dirname(path), depth + 1)
  }
}

/** Files nearest to the working folder matter most, so the others are truncated first. */
function limitLength(files: readonly InstructionFile[], { onProblem }: InstructionPlace): readonly InstructionFile[] {
  const limitedFiles: InstructionFile[] = []
  let charsLeft = MAX_INSTRUCTION_CHARS
  for (const file of [...files].reverse()) {
    if (file.text.length > charsLeft)
      onProblem?.(
        `${file.path} is too long: only its first ${charsLeft} characters are used. Shorten the instruction files.`,
      )
    const text = file.text.slice(0, charsLeft)
    charsLeft -= text.length
    if (text !== '') limitedFiles.unshift({ ...file, text })
  }
  return limitedFiles
}
