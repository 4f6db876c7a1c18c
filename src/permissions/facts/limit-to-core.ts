import { type CoreUse, findCoreUse, printsUnnamedFiles } from '../../shell/programs/audited-core.js'
import { type PlainCommand, readPlainScript } from '../../shell/programs/plain-script.js'
import { isWithin, type JudgedPath, judgePath, type Lookup, toSlashes } from '../paths/judge-path.js'
import type { PathContext } from '../paths/normalise-path.js'

/** One command of a script, with the fields that decide whether it may run without a sandbox. */
interface CommandPart {
  readonly argv: readonly { readonly text: string }[]
  readonly isReadOnly: boolean
  readonly areEffectsKnown: boolean
  readonly ordinaryRepositories?: readonly string[] | undefined
  readonly reads: readonly JudgedPath[]
}

interface CoreOptions {
  /** Whether a deny or ask rule is about reading certain files. */
  readonly restrictsReading: boolean
  /** Every spelling of the working directories. */
  readonly folders: readonly string[]
  readonly pathContext: PathContext
  readonly lookup: Lookup
}

/**
 * Marks the effects of read-only commands outside the audited core as unknown: without a sandbox, nothing would stop a
 * command that the analysis misjudges. Returns undefined if there are no such commands.
 */
export async function limitToCore<Part extends CommandPart>(
  text: string,
  commands: readonly Part[],
  options: CoreOptions,
): Promise<readonly Part[] | undefined> {
  if (!commands.some((command) => command.isReadOnly && command.areEffectsKnown)) return undefined
  const script = readPlainScript(text)
  // Both parsers must find the same commands.
  const doParsersAgree =
    script?.length === commands.length && script.every(({ words }, at) => hasWords(commands[at], words))
  const areInCore = doParsersAgree ? await judgeScript(script, commands, options) : commands.map(() => false)
  if (areInCore.every((isInCore) => isInCore)) return undefined
  return commands.map((command, at) =>
    areInCore[at] === true || !command.isReadOnly ? command : { ...command, areEffectsKnown: false },
  )
}

function hasWords(command: CommandPart | undefined, words: readonly string[]): boolean {
  return command?.argv.length === words.length && command.argv.every(({ text }, at) => text === words[at])
}

/** Returns which commands belong to the core and use only plain files. `cd` is accepted only at the start: `cd src && ls`. */
async function judgeScript(
  script: readonly PlainCommand[],
  parts: readonly CommandPart[],
  options: CoreOptions,
): Promise<readonly boolean[]> {
  const uses = script.map(({ words }) => findUse(words, options))
  const folder = script[0]?.operator === '&&' ? uses[0]?.folder : undefined
  const mayBeElsewhere = uses.some((use, at) => use?.folder !== undefined && !(at === 0 && folder !== undefined))
  if (mayBeElsewhere) return script.map(() => false)
  if (folder !== undefined && !(await isPlain(folder, 'folder', options))) return script.map(() => false)
  return Promise.all(
    uses.map(async (use, at) => {
      if (use === undefined || (use.usesRepository && !usesOwnRepositories(parts[at], options))) return false
      if (parts[at]?.reads.some((path) => isReadThroughLink(path, options)) === true) return false
      return usesPlainPaths(use, folder, options)
    }),
  )
}

/** Whether git uses only ordinary repositories inside the working directories. Other repositories contain files outside. */
function usesOwnRepositories(part: CommandPart | undefined, { folders, pathContext }: CoreOptions): boolean {
  const roots = part?.ordinaryRepositories?.map((root) => toSlashes(root, pathContext))
  return roots?.every((root) => folders.some((folder) => isWithin(root, folder, false))) === true
}

/**
 * Returns what a command of the core uses. With rules for reading, git must not print files that the command does not name:
 * only a sandbox could hide them.
 */
function findUse(words: readonly string[], { restrictsReading }: CoreOptions): CoreUse | undefined {
  return restrictsReading && printsUnnamedFiles(words) ? undefined : findCoreUse(words)
}

async function usesPlainPaths(
  { files, entries }: CoreUse,
  folder: string | undefined,
  options: CoreOptions,
): Promise<boolean> {
  const at = (path: string) => (folder === undefined || path.startsWith('/') ? path : `${folder}/${path}`)
  const answers = await Promise.all([
    ...files.map((path) => isPlain(at(path), 'file', options)),
    ...entries.map((path) => isPlain(at(path), 'entry', options)),
  ])
  return answers.every((isPlainPath) => isPlainPath)
}

/**
 * Whether a path is in a working directory, contains no links, and is of the expected kind. A pipe or a device must not be
 * read, and a folder in the place of a file could make a program read the targets of links in it.
 */
async function isPlain(path: string, kind: 'file' | 'entry' | 'folder', options: CoreOptions): Promise<boolean> {
  const { folders, pathContext, lookup } = options
  if (path.startsWith('~')) return false
  const judgedPath = await judgePath({ originalPath: path, isFolder: false }, pathContext, lookup)
  const { forms, problem, isCaseInsensitive, isFolder, isSpecial } = judgedPath
  if (problem !== undefined || isReadThroughLink(judgedPath, options)) return false
  if (kind === 'file' ? isFolder || isSpecial === true : kind === 'folder' && !isFolder) return false
  return forms.every((form) => folders.some((folder) => isWithin(form, folder, isCaseInsensitive)))
}

/**
 * Whether the content of a path in a working directory is read through a link there. The link may have another target when
 * the program opens it, and only a sandbox could prevent that.
 */
function isReadThroughLink(
  { targets, isNameOnly, isCaseInsensitive }: JudgedPath,
  { folders, pathContext }: CoreOptions,
): boolean {
  if (isNameOnly === true) return false
  const fold = (text: string) => (isCaseInsensitive ? text.toLowerCase() : text)
  return targets.some(([path, { realPath }]) => {
    const outerFolders = folders.filter((folder) => isWithin(path, folder, isCaseInsensitive))
    const plainPaths = outerFolders.flatMap((outerFolder) =>
      folders.map((folder) => folder + path.slice(outerFolder.length)),
    )
    const target = fold(toSlashes(realPath, pathContext))
    return plainPaths.length > 0 && !plainPaths.some((plainPath) => fold(plainPath) === target)
  })
}
