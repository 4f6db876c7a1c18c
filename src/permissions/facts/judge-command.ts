import type { CommandAnalysis, FileGlob, FoundFiles, PossibleEffects, SimpleCommand } from '../../contract/command.js'
import { DEFAULT_PACING } from '../../shared/for-each-in-slices.js'
import { PathIndex } from '../../shared/path-containment.js'
import { isNearby, isNearbyOrDependency } from '../../shell/ordinary/is-nearby.js'
import { DEPENDENCY_FOLDER } from '../../shell/ordinary/patterns.js'
import { compileGlob, expandGlob, hasDefaultGlobs } from '../paths/glob-files.js'
import {
  type EntryQuery,
  type JudgedPath,
  judgePath,
  type Lookup,
  type PathFacts,
  type TouchedPath,
} from '../paths/judge-path.js'
import type { PathContext } from '../paths/normalise-path.js'
import { withProtectedFolder } from '../paths/protected-files.js'

/** A simple command whose paths have been judged. */
export interface JudgedCommand extends Omit<SimpleCommand, 'reads' | 'writes' | 'redirects'> {
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  readonly redirects: readonly JudgedPath[]
  /** Files that the command may read or write. Used if no table describes the command completely. */
  readonly possiblePaths: readonly JudgedPath[]
  /** Files that a part of an argument may name, as in `host:file`. */
  readonly possiblePartPaths: readonly JudgedPath[]
  /** Whether the possible paths contain all files that shell patterns among the arguments match. */
  readonly areGlobsKnown?: true | undefined
}

/** The command that a call runs, with the paths of all its parts judged. */
export interface CallCommand {
  readonly analysis: CommandAnalysis
  readonly text: string
  readonly commands: readonly JudgedCommand[]
  readonly isUnresolved: boolean
  readonly risks: readonly string[]
}

/** The functions with which the paths of a call are judged. */
export interface PathSource {
  readonly pathContext: PathContext
  readonly lookup: Lookup
  readonly links: PathFacts['links']
  readonly entries: PathFacts['entries']
}

export function judgeTouched(
  touchedPaths: readonly TouchedPath[],
  { pathContext, lookup }: PathSource,
): Promise<readonly JudgedPath[]> {
  return Promise.all(touchedPaths.map((path) => judgePath(path, pathContext, lookup)))
}

export async function judgeWrites(
  touchedPaths: readonly TouchedPath[],
  source: PathSource,
): Promise<readonly JudgedPath[]> {
  const judgedPaths = await judgeTouched(touchedPaths, source)
  return Promise.all(judgedPaths.map((path) => withProtectedFolder(path, source.lookup)))
}

/** Judges the symbolic links among files that are found at run time, because a program that reads these files follows them. */
async function judgeFoundFiles(foundFiles: readonly FoundFiles[], source: PathSource): Promise<readonly JudgedPath[]> {
  const judgedLinks = foundFiles.map(async ({ folder, ...query }) => {
    const [judged] = await judgeTouched([{ originalPath: folder, isFolder: true }], source)
    if (judged === undefined || judged.problem !== undefined) return []
    const lists = await Promise.all(judged.forms.map(async (form) => source.links?.(form, query)))
    const problem = `${folder} has too many files to examine, or contains archives or names with a leading dash, blanks or quotes`
    if (lists.includes(undefined)) return [{ ...judged, problem }]
    const links = lists.flatMap((list) => list ?? [])
    return judgeTouched(
      links.map((path) => ({ originalPath: path, isFolder: false })),
      source,
    )
  })
  return (await Promise.all(judgedLinks)).flat()
}

/** The number of commands that are judged before the event loop may do other work. */
const COMMANDS_PER_SLICE = 10

/** Judges the paths of all parts of a command. */
export async function judgeCommand(analysis: CommandAnalysis, source: PathSource): Promise<CallCommand> {
  const { text, commands, isUnresolved, risks } = analysis
  const areGlobsKnown = commands.some(({ globs }) => globs !== undefined) && hasDefaultGlobs(analysis)
  const judgedCommands: JudgedCommand[] = []
  for (let at = 0; at < commands.length; at += COMMANDS_PER_SLICE) {
    if (at > 0) await DEFAULT_PACING.pause()
    // A large command that is not understood has thousands of parts, and each promise takes time.
    const slice = commands
      .slice(at, at + COMMANDS_PER_SLICE)
      .map((command) =>
        namesPaths(command) ? judgeSimpleCommand(command, areGlobsKnown, source) : { ...command, ...NO_COMMAND_PATHS },
      )
    judgedCommands.push(...(await Promise.all(slice)))
  }
  const opaqueCount = judgedCommands.filter(isOpaque).length
  const writtenPaths = indexWrittenPaths(judgedCommands)
  return {
    analysis,
    text,
    commands: judgedCommands.map((command) => withContents(command, writtenPaths, opaqueCount)),
    isUnresolved,
    risks,
  }
}

/** The paths of a command that names none. */
const NO_COMMAND_PATHS: Omit<JudgedCommand, keyof SimpleCommand> &
  Pick<JudgedCommand, 'reads' | 'writes' | 'redirects'> = {
  reads: [],
  writes: [],
  redirects: [],
  possiblePaths: [],
  possiblePartPaths: [],
}

function namesPaths({ reads, writes, redirects, found, possible }: SimpleCommand): boolean {
  return reads.length + writes.length + redirects.length > 0 || found !== undefined || possible !== undefined
}

async function judgeSimpleCommand(
  command: SimpleCommand,
  areGlobsKnown: boolean,
  source: PathSource,
): Promise<JudgedCommand> {
  // A command that names a folder does not use the files in it, unless the analysis has added a trailing slash.
  const judgeNamedPaths = async (paths: readonly string[], readsFolders?: true) =>
    (await judgeTouched(toTouchedPaths(paths), source)).map((path) => ({
      ...path,
      isFolder: path.originalPath.endsWith('/') || (readsFolders === true && path.isFolder),
    }))
  const possible = await withLinkedPrograms(command.possible, source)
  const tree = {
    mayBeTree: true as const,
    ...((possible?.folders === 'whole' || command.words[0] === 'git') && { contents: ALL_ENTRIES }),
    ...(possible?.folders === 'rewritten' && { contents: SOURCE_ENTRIES }),
  }
  const possibleGlobs = possible === undefined || !areGlobsKnown ? [] : (command.globs ?? [])
  const globPaths = await judgeGlobs(possibleGlobs, judgeNamedPaths, source)
  const writtenGlobs = areGlobsKnown ? (command.writtenGlobs ?? []) : []
  const globFolders = new Set(writtenGlobs.map(({ folder }) => folder))
  const isNamed = (path: string) => !globFolders.has(path)
  const foundFiles = command.found ?? []
  const listedPaths = [
    ...(await judgeNamedPaths(command.reads, command.readsFolders)),
    ...(await judgeFoundFiles(
      foundFiles.filter(({ areIgnoreFiles }) => areIgnoreFiles !== true),
      source,
    )),
  ].map((path) => (printsOnlyNames(command) ? { ...path, isNameOnly: true as const } : path))
  // A program that prints only names still opens its ignore files.
  const ignoreFiles = foundFiles.filter(({ areIgnoreFiles }) => areIgnoreFiles === true)
  const reads = [...listedPaths, ...(await judgeFoundFiles(ignoreFiles, source))]
  return {
    ...command,
    possible,
    ...(reads.some(isChangedByReading) && { isReadOnly: false, areEffectsKnown: false }),
    reads,
    writes: [
      ...(await judgeWrites(toTouchedPaths(command.writes.filter(isNamed)), source)),
      ...(await judgeGlobs(writtenGlobs, (paths) => judgeWrites(toTouchedPaths(paths), source), source)),
    ],
    redirects: await judgeWrites(toTouchedPaths(command.redirects), source),
    possiblePaths: [...(await judgeNamedPaths(possible?.paths ?? [])), ...globPaths].map((path) => ({
      ...path,
      ...tree,
    })),
    // An unknown program may use everything below a folder, as in `docker run -v .:/x` and `git restore .`.
    possiblePartPaths: (await judgeTouched(toTouchedPaths(possible?.partPaths ?? []), source)).map(withFolder),
    areGlobsKnown:
      areGlobsKnown && globPaths.every(({ isFolder, globs }) => !isFolder || globs !== undefined) ? true : undefined,
  }
}

/**
 * Resolves the links to the programs, scripts and modules of an ordinary command. If a link leads out of the surroundings of
 * the project, the command may run any program.
 */
async function withLinkedPrograms(
  possible: PossibleEffects | undefined,
  source: PathSource,
): Promise<PossibleEffects | undefined> {
  if (possible?.programPaths === undefined || possible.runsAnything === true) return possible
  const { cwd } = source.pathContext
  const starts = [cwd, (await source.lookup(cwd))?.realPath ?? cwd]
  const linkedNames = new Set<string>()
  for (const path of await judgeTouched(toTouchedPaths(possible.programPaths), source)) {
    const mayBeDependency = DEPENDENCY_FOLDER.test(`${path.originalPath}/`)
    const isNear = mayBeDependency ? isNearbyOrDependency : isNearby
    const isEveryFormNear = path.forms.every((form) => starts.some((start) => isNear(`${form}/x`, start)))
    if (path.problem !== undefined || !isEveryFormNear) return { ...possible, runsAnything: true }
    for (const form of path.forms.filter((resolvedPath) => resolvedPath !== path.originalPath)) {
      const packages = form
        .split('/node_modules/')
        .slice(1)
        .map((packagePath) => packagePath.split('/', 2).join('/'))
      const fileName = form.slice(form.lastIndexOf('/') + 1)
      for (const name of [fileName, fileName.replace(/\.\w+$/, ''), ...packages.flatMap((text) => text.split('/'))])
        linkedNames.add(name)
    }
  }
  return linkedNames.size === 0 ? possible : { ...possible, linkedNames: [...linkedNames] }
}

/** Paths of devices and processes, for which reading is accepted. */
const SYSTEM_DEVICE = /^\/(?:dev|proc)\//

/** Whether reading a path has an effect: data read from a pipe or a device is consumed, and its writer continues. */
function isChangedByReading({ isSpecial, isNameOnly, forms }: JudgedPath): boolean {
  return isSpecial === true && isNameOnly !== true && !forms.every((form) => SYSTEM_DEVICE.test(form))
}

function toTouchedPaths(paths: readonly string[]): readonly TouchedPath[] {
  return paths.map((path) => ({ originalPath: path, isFolder: path.endsWith('/') }))
}

/**
 * Judges the files that shell patterns match: those that exist now and, for files that may be created before the command runs,
 * the folder with the pattern. If a folder has too many entries, it counts as a whole.
 */
async function judgeGlobs(
  globs: readonly FileGlob[],
  judge: (paths: readonly string[]) => Promise<readonly JudgedPath[]>,
  source: PathSource,
): Promise<readonly JudgedPath[]> {
  const judgedGlobs = globs.map(async ({ folder, pattern }) => {
    const names = compileGlob(pattern)
    const [judgedFolder] = await judgeTouched([{ originalPath: folder, isFolder: true }], source)
    if (judgedFolder === undefined || judgedFolder.problem !== undefined) return judgedFolder ?? []
    const lists = await Promise.all(judgedFolder.forms.map((form) => expandGlob(form, names, source.entries)))
    if (lists.includes(undefined)) return judge([folder])
    const files = await judge([...new Set(lists.flatMap((list) => list ?? []))])
    return [{ ...judgedFolder, isFolder: true, globs: [names] }, ...files]
  })
  return (await Promise.all(judgedGlobs)).flat()
}

/** Whether it is unknown which files a command changes. */
function isOpaque({ possible, hasUnknownPath }: JudgedCommand): boolean {
  return hasUnknownPath === true || (possible !== undefined && possible.onlyReads !== true)
}

const ALL_ENTRIES: readonly EntryQuery[] = [{ prefix: '', suffix: '', isDeep: true }]
const SOURCE_ENTRIES: readonly EntryQuery[] = [{ prefix: '', suffix: '', isDeep: true, areSources: true }]

function indexWrittenPaths(commands: readonly JudgedCommand[]): PathIndex {
  const writtenForms = commands
    .flatMap(({ writes, redirects }) => [...writes, ...redirects])
    .flatMap(({ forms }) => forms)
  return new PathIndex(writtenForms, { isCaseInsensitive: true })
}

/** Adds which files in a folder a command reads, unless another part of the script may change the folder first. */
function withContents(command: JudgedCommand, writtenPaths: PathIndex, opaqueCount: number): JudgedCommand {
  const otherOpaqueCommands = opaqueCount - (isOpaque(command) ? 1 : 0)
  if (otherOpaqueCommands > 0) return withPossibleMatches(command)
  // Git may print files that exist only in its history.
  if (/(?:^|\/)git$/.test(command.words[0] ?? '')) return command
  if (!command.reads.some(({ isFolder }) => isFolder)) return command
  const ownPaths = indexWrittenPaths([command])
  const reads = command.reads.map((path) => {
    if (!path.isFolder || path.problem !== undefined) return path
    // Paths that only the command itself writes do not count.
    const overlaps = (form: string) =>
      writtenPaths.countInside(form) > ownPaths.countInside(form) ||
      writtenPaths.countContaining(form) > ownPaths.countContaining(form)
    if (path.forms.some(overlaps)) return path
    const foundFiles = command.found?.filter(({ folder }) => folder === path.originalPath) ?? []
    const isPartial = foundFiles.length > 0 && foundFiles.every(({ isOnlyUse }) => isOnlyUse === true)
    return { ...path, contents: isPartial ? foundFiles : ALL_ENTRIES }
  })
  return { ...command, reads }
}

/** Marks the patterns of a command: another part of the script may create files that they match. */
function withPossibleMatches(command: JudgedCommand): JudgedCommand {
  if (command.globs === undefined) return command
  const mark = (path: JudgedPath) => (path.globs === undefined ? path : { ...path, mayMatchMore: true as const })
  return { ...command, writes: command.writes.map(mark), possiblePaths: command.possiblePaths.map(mark) }
}

/** Marks a path that ends with `.` or `..` as a folder, even if the lookup failed. */
function withFolder(path: JudgedPath): JudgedPath {
  return /(?:^|\/)\.{1,2}$/.test(path.originalPath) ? { ...path, isFolder: true } : path
}

const NAME_PRINTERS = /^(?:ls|dir|vdir|stat|du|tree|find|fd|fdfind|eza|exa|test|\[|readlink|realpath|basename|dirname)$/
/** Options that read the content of a file, such as a list of names. */
const READS_CONTENT = /from|file|^-X/

/** Whether a command prints names and sizes of files, but nothing of their content. */
function printsOnlyNames({ words, possible }: SimpleCommand): boolean {
  const [program = '', ...args] = words
  return (
    possible === undefined &&
    NAME_PRINTERS.test(program) &&
    !args.some((text) => /^-/.test(text) && READS_CONTENT.test(text))
  )
}
