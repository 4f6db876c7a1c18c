import type { CommandAnalysis, CommandLine, CommandWord, FoundFiles, SimpleCommand } from '../../contract/command.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { commandOf } from '../../contract/tool/command-of.js'
import { allowNamesOf, type KnownMcpTool, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, ToolContext } from '../../contract/tool/tool.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { isCoreCommand, printsUnnamedFiles, readPlainScript } from '../../shell/programs/audited-core.js'
import { analyseUnknownCommand } from '../../shell/unknown-command.js'
import { isMessage } from '../../shell/words/message-options.js'
import { isKnown } from '../../shell/words/shell-word.js'
import {
  createLookup,
  type EntryQuery,
  isWithin,
  type JudgedPath,
  judgePath,
  type Lookup,
  type PathFacts,
  type TouchedPath,
} from '../paths/judge-path.js'
import type { PathContext } from '../paths/place.js'
import { withProtectedFolder } from '../paths/protected-files.js'
import { findWorkingDirectories } from '../paths/working-directories.js'
import { type CallTouch, touchOf } from './call-touch.js'
import { copiesTrees, printsOnlyNames, usesOnlySources } from './command-kinds.js'

/** A simple command whose paths have been judged. */
export interface JudgedCommand extends Omit<SimpleCommand, 'reads' | 'writes' | 'redirects'> {
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  readonly redirects: readonly JudgedPath[]
  /** Files that the command may read or write. Used if no table describes the command completely. */
  readonly possiblePaths: readonly JudgedPath[]
  /** Files that a part of an argument may name, as in `host:file`. */
  readonly possiblePartPaths: readonly JudgedPath[]
  /** Folders in which the command may write files whose names it does not state. */
  readonly writtenFolders: readonly JudgedPath[]
}

/** The command that a call runs, with the paths of all its parts judged. */
export interface CallCommand {
  readonly analysis: CommandAnalysis
  readonly text: string
  readonly commands: readonly JudgedCommand[]
  readonly isUnresolved: boolean
  readonly risks: readonly string[]
}

/** Everything that rules, safety checks, modes and classifiers may know about a call. It contains no tool results. */
export interface CallFacts {
  readonly tool: Tool
  readonly input: unknown
  /** The names that rules can use for the tool. */
  readonly names: readonly string[]
  /** The names that allow rules can use for the tool. Ambiguous names are left out. */
  readonly allowNames: readonly string[]
  /** Whether the tool comes from an MCP server. Its own statements then never allow anything. */
  readonly isExternal: boolean
  /** Whether the tool declares the call read-only. Always false for an MCP tool and for a command that was not understood. */
  readonly isReadOnly: boolean
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  /** Files that the call's command may read; it is unknown whether it does. */
  readonly possibleReads: readonly JudgedPath[]
  /** Files that the call's command may write; it is unknown whether it does. */
  readonly possibleWrites: readonly JudgedPath[]
  /** Whether the call does nothing but these reads and writes. */
  readonly isExact: boolean
  readonly network: boolean
  /** Whether the call may touch more than these reads and writes. */
  readonly isOpenEnded: boolean
  /** Whether it is unknown which files the call touches, so that any rule about files may apply. */
  readonly areFilesUnknown: boolean
  /** Whether the tool omits files that deny rules cover, so that it may search a folder that contains such files. */
  readonly skipsDeniedFiles: boolean
  /** Whether the command is read-only by analysis but not in the audited core, and no sandbox would confine it. */
  readonly lacksSandbox: boolean
  readonly url: string | undefined
  readonly command: CallCommand | undefined
  /** Why the call cannot be judged. If set, the user is asked. */
  readonly problem: string | undefined
  /** Why the call is denied whatever the rules and the mode are. */
  readonly refusal: string | undefined
  /** Every spelling of the working directories; empty if the call has neither paths nor a command. */
  readonly folders: readonly string[]
  readonly pathContext: PathContext
  readonly lookup: Lookup
  readonly links: PathFacts['links']
  readonly entries: PathFacts['entries']
}

/** Where the facts about calls come from. */
export interface FactSources {
  readonly paths: PathFacts
  /** Whether a tool that searches folders omits files that deny rules cover. Defaults to false. */
  readonly skipsDeniedFiles?: (tool: Tool) => boolean
  /**
   * Whether read-only commands run in a sandbox. Without one, the effects of commands outside the audited core count as
   * unknown.
   */
  readonly canConfine: () => MaybePromise<boolean>
}

/** What the facts depend on in the rules of the user. */
export interface RulesForFacts {
  readonly context: ToolPermissionContext
  /** Whether a deny or ask rule is about reading certain files. */
  readonly restrictsReading: boolean
}

/** The parts of a call that its facts depend on. */
export interface JudgedCall {
  readonly tool: Tool
  readonly input: unknown
  readonly pathContext: PathContext
  readonly toolContext?: ToolContext
  /** The analysis of the command that the call runs. If omitted, the command counts as not understood. */
  readonly command?: CommandAnalysis | undefined
}

/**
 * Determines what a call would do. Only calls with paths or a command need the file system; for all others, the facts are
 * returned synchronously.
 */
export function gatherFacts(
  { tool, input, pathContext, toolContext, command: suppliedAnalysis }: JudgedCall,
  rules: RulesForFacts,
  sources: FactSources,
): MaybePromise<CallFacts> {
  const names = ruleNamesOf(tool)
  const isExternal = tool.isMcp === true || tool.mcpInfo !== undefined
  const line = commandOf(tool, input)
  const command = line === undefined ? undefined : analysisOf(line, suppliedAnalysis, pathContext.cwd)
  const isDeclaredReadOnly = declaresReadOnly(tool, input, command)
  const touch = touchOf(tool, input, { isReadOnly: isDeclaredReadOnly, command })
  const call: CallFacts = {
    tool,
    input,
    names,
    allowNames: tool.mcpInfo === undefined ? names : allowNamesOf(tool, listKnownMcpTools(toolContext)),
    isExternal,
    isReadOnly: isDeclaredReadOnly && !isExternal,
    reads: NO_PATHS,
    writes: NO_PATHS,
    possibleReads: NO_PATHS,
    possibleWrites: NO_PATHS,
    isExact: touch.isExact && !isExternal && command === undefined,
    network: touch.network || isExternal,
    isOpenEnded: touch.isOpenEnded,
    areFilesUnknown: touch.isOpenEnded && command === undefined,
    skipsDeniedFiles: sources.skipsDeniedFiles?.(tool) === true,
    lacksSandbox: false,
    url: urlOf(input),
    command: undefined,
    problem: touch.problem,
    refusal: undefined,
    folders: NO_TEXTS,
    pathContext,
    lookup: createLookup(sources.paths),
    links: sources.paths.links?.bind(sources.paths),
    entries: sources.paths.entries?.bind(sources.paths),
  }
  const touchesNothing = command === undefined && touch.reads.length + touch.writes.length === 0
  if (touchesNothing) return call
  if (isAnyTooLong(originalPathsOf(touch, undefined))) return { ...call, refusal: TOO_LONG_MESSAGE }
  return judgePaths(call, touch, command, rules, sources)
}

const NO_PATHS: readonly JudgedPath[] = []
const NO_TEXTS: readonly string[] = []

/**
 * Whether a tool declares that a call only reads. For a tool that only runs its command, this returns true, and the analysis
 * of the command decides later.
 */
export function declaresReadOnly(tool: Tool, input: unknown, command: CommandAnalysis | undefined): boolean {
  return (command !== undefined && tool.runsOnlyItsCommand === true) || isCallReadOnly(tool, input, command)
}

/**
 * Returns the supplied analysis if it belongs to the command that the call runs now. Otherwise, and for an analysis without
 * commands, the command counts as not understood.
 */
function analysisOf(line: CommandLine, suppliedAnalysis: CommandAnalysis | undefined, cwd: string): CommandAnalysis {
  if (
    suppliedAnalysis === undefined ||
    suppliedAnalysis.text !== line.text ||
    suppliedAnalysis.language !== line.language ||
    suppliedAnalysis.cwd !== cwd
  )
    return analyseUnknownCommand(line, cwd)
  return suppliedAnalysis.commands.length === 0 ? analyseUnknownCommand(line, cwd) : suppliedAnalysis
}

/** Returns all known MCP tools and servers. A context from a test may lack them. */
function listKnownMcpTools(context: Partial<ToolContext> | undefined): readonly KnownMcpTool[] {
  const { tools = [], mcpClients = [] } = context?.options ?? {}
  return [...tools.flatMap(({ mcpInfo }) => mcpInfo ?? []), ...mcpClients.map(({ name }) => ({ serverName: name }))]
}

/** No supported operating system accepts longer paths, and judging one would need a multiple of its size in memory. */
const MAX_PATH_LENGTH = 32_768

const TOO_LONG_MESSAGE = `A path in the input is longer than ${MAX_PATH_LENGTH} characters.`

function isAnyTooLong(paths: readonly string[]): boolean {
  return paths.some((path) => path.length > MAX_PATH_LENGTH)
}

/** Judges the paths of a call and of its command. */
async function judgePaths(
  call: CallFacts,
  touch: CallTouch,
  command: CommandAnalysis | undefined,
  { context, restrictsReading }: RulesForFacts,
  sources: FactSources,
): Promise<CallFacts> {
  const { pathContext, lookup } = call
  if (containsNul([command?.text ?? '', ...originalPathsOf(touch, command)])) {
    return { ...call, refusal: 'A path or command in the input contains a NUL character.' }
  }
  if (isAnyTooLong(originalPathsOf(touch, command))) return { ...call, refusal: TOO_LONG_MESSAGE }
  const folders = await findWorkingDirectories(context, pathContext, lookup)
  const judgeTouched = (touchedPaths: readonly TouchedPath[]) =>
    Promise.all(touchedPaths.map((each) => judgePath(each, pathContext, lookup)))
  const judgeWrites = async (touchedPaths: readonly TouchedPath[]) =>
    Promise.all((await judgeTouched(touchedPaths)).map((path) => withProtectedFolder(path, lookup)))
  const judgedCall = {
    ...call,
    folders,
    reads: await judgeTouched(touch.reads),
    writes: await judgeWrites(touch.writes),
  }
  if (command === undefined) return withProblem(judgedCall)
  const judgeFound = (foundFiles: readonly FoundFiles[]) => judgeFoundFiles(foundFiles, judgeTouched, call.links)
  const judgedCommand = await judgeCommand(command, judgeTouched, judgeWrites, judgeFound)
  const isCore = restrictsReading ? isNamingCoreCommand : isCoreCommand
  const lacksSandbox = reliesOnAnalysis(judgedCommand, isCore) && !(await sources.canConfine())
  return withProblem(
    withCommand(
      { ...judgedCall, lacksSandbox },
      lacksSandbox ? keepCoreCommands(judgedCommand, isCore) : judgedCommand,
    ),
  )
}

type IsCoreCommand = (words: readonly string[]) => boolean

/** With rules for reading, git must not print files that the command does not name: only a sandbox could hide them. */
function isNamingCoreCommand(words: readonly string[]): boolean {
  return isCoreCommand(words) && !printsUnnamedFiles(words)
}

/** Whether only the analysis, and not the audited core, considers a part of the command harmless. */
function reliesOnAnalysis({ text, commands }: CallCommand, isCore: IsCoreCommand): boolean {
  if (!commands.some((each) => each.isReadOnly && each.areEffectsKnown)) return false
  return readPlainScript(text)?.every(isCore) !== true
}

/**
 * Without a sandbox, nothing would stop a command that the analysis misjudges. So the effects of read-only commands outside
 * the audited core count as unknown.
 */
function keepCoreCommands(command: CallCommand, isCore: IsCoreCommand): CallCommand {
  const isPlain = readPlainScript(command.text) !== undefined
  const commands = command.commands.map((each) => {
    const isInCore = isPlain && isCore(each.argv.map(({ text }) => text))
    return isInCore || !each.isReadOnly ? each : { ...each, areEffectsKnown: false }
  })
  return { ...command, commands }
}

/** Adds the effects of the command to those that the tool states. */
function withCommand(call: CallFacts, command: CallCommand): CallFacts {
  const { commands, isUnresolved } = command
  const listPossiblePaths = (parts: readonly JudgedCommand[]) =>
    parts.flatMap((each) => [...each.possiblePaths, ...each.possiblePartPaths])
  return {
    ...call,
    command,
    isReadOnly: call.isReadOnly && !isUnresolved && commands.length > 0 && commands.every((each) => each.isReadOnly),
    reads: [...withoutCommandReads(call.reads, commands), ...commands.flatMap((each) => each.reads)],
    writes: [...call.writes, ...commands.flatMap((each) => [...each.writes, ...each.redirects])],
    possibleReads: commands.flatMap((each) =>
      usesOnlySources(each)
        ? listPossiblePaths([each]).map((path) => ({ ...path, isNameOnly: true as const }))
        : listPossiblePaths([each]),
    ),
    possibleWrites: [
      ...listPossiblePaths(commands.filter(mayWritePossiblePaths)),
      ...commands.flatMap(({ writtenFolders }) => writtenFolders),
    ],
    network: call.network || commands.some((each) => each.network),
    isOpenEnded: call.isOpenEnded || isUnresolved || commands.some((each) => !each.areEffectsKnown),
    areFilesUnknown: isUnresolved || commands.some(hasUnknownFile),
  }
}

/** Leaves out the paths that the tool states only because its command reads them: the command knows how it reads them. */
function withoutCommandReads(
  statedReads: readonly JudgedPath[],
  commands: readonly JudgedCommand[],
): readonly JudgedPath[] {
  const names = new Set(commands.flatMap(({ reads }) => reads.map(({ originalPath }) => originalPath)))
  return statedReads.filter(({ originalPath }) => !names.has(originalPath))
}

function mayWritePossiblePaths({ isReadOnly, possible }: JudgedCommand): boolean {
  return !isReadOnly && possible?.onlyReads !== true
}

/**
 * Whether it is unknown which files the command uses. For a command that no table describes, any unknown word may name a file.
 */
function hasUnknownFile({ argv, words, hasUnknownPath, possible }: JudgedCommand): boolean {
  if (possible?.namesFilesInData === true || possible?.runsAnything === true) return true
  if (hasUnknownPath === true) return true
  const mayBeFile = (word: CommandWord, at: number) =>
    !isKnown(word) && !isUnknownMessage(argv, at) && !(word.spread === 'prefixed' && usesOnlySources({ words }))
  return possible !== undefined && argv.some(mayBeFile)
}

/** Whether an unknown word is a message in one word, as in `git commit -m "$m"`. */
function isUnknownMessage(argv: readonly CommandWord[], at: number): boolean {
  const [word, option] = [argv[at], argv[at - 1]]
  if (word?.spread !== 'one' || option === undefined || !isKnown(option)) return false
  return isMessage(argv[0]?.text ?? '', '', option.text)
}

function withProblem(call: CallFacts): CallFacts {
  const problem = call.problem ?? [...call.reads, ...call.writes].find((path) => path.problem !== undefined)?.problem
  return problem === undefined ? call : { ...call, problem }
}

function urlOf(input: unknown): string | undefined {
  const url = fieldOf(input, 'url')
  return typeof url === 'string' ? url : undefined
}

function fieldOf(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined
}

function originalPathsOf({ reads, writes }: CallTouch, command: CommandAnalysis | undefined): readonly string[] {
  const shellPaths = command?.commands.flatMap((each) => [...each.reads, ...each.writes, ...each.redirects]) ?? []
  return [...[...reads, ...writes].map(({ originalPath }) => originalPath), ...shellPaths]
}

function containsNul(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('\0'))
}

type JudgePaths = (touchedPaths: readonly TouchedPath[]) => Promise<readonly JudgedPath[]>

/** Judges the symbolic links among files that are found at run time, because a program that reads these files follows them. */
async function judgeFoundFiles(
  foundFiles: readonly FoundFiles[],
  judge: JudgePaths,
  links: PathFacts['links'],
): Promise<readonly JudgedPath[]> {
  const judgedLinks = foundFiles.map(async ({ folder, ...query }) => {
    const [judged] = await judge([{ originalPath: folder, isFolder: true }])
    if (judged === undefined || judged.problem !== undefined) return []
    const lists = await Promise.all(judged.forms.map(async (form) => links?.(form, query)))
    const problem = `${folder} has too many files to look at, or names with a leading dash, blanks or quotes, or archives`
    if (lists.includes(undefined)) return [{ ...judged, problem }]
    return judge(lists.flatMap((list) => list ?? []).map((path) => ({ originalPath: path, isFolder: false })))
  })
  return (await Promise.all(judgedLinks)).flat()
}

async function judgeCommand(
  analysis: CommandAnalysis,
  judgeReads: JudgePaths,
  judgeWrites: JudgePaths,
  judgeFound: (foundFiles: readonly FoundFiles[]) => Promise<readonly JudgedPath[]>,
): Promise<CallCommand> {
  const { text, commands, isUnresolved, risks } = analysis
  const toTouchedPaths = (paths: readonly string[]) =>
    paths.map((path) => ({ originalPath: path, isFolder: path.endsWith('/') }))
  // A command that names a folder does not touch the files in it, unless the analysis has added a trailing slash.
  const judgeNamedPaths = async (paths: readonly string[]) =>
    (await judgeReads(toTouchedPaths(paths))).map((path) => ({ ...path, isFolder: path.originalPath.endsWith('/') }))
  const judgePossiblePaths = async (command: SimpleCommand) => {
    const { words, isReadOnly, possible } = command
    const isGitWriter = words[0] === 'git' && !isReadOnly && possible?.onlyReads !== true
    const tree = { mayBeTree: true as const, ...(copiesTrees(command) && { contents: ALL_ENTRIES }) }
    if (!isGitWriter) return (await judgeNamedPaths(possible?.paths ?? [])).map((path) => ({ ...path, ...tree }))
    return (await judgeReads(toTouchedPaths(possible?.paths ?? []))).map(withFolder)
  }
  const judgedCommands = await Promise.all(
    commands.map(async (each) => ({
      ...each,
      reads: [...(await judgeNamedPaths(each.reads)), ...(await judgeFound(each.found ?? []))].map((path) =>
        printsOnlyNames(each) ? { ...path, isNameOnly: true as const } : path,
      ),
      writes: await judgeWrites(toTouchedPaths(each.writes)),
      redirects: await judgeWrites(toTouchedPaths(each.redirects)),
      possiblePaths: await judgePossiblePaths(each),
      writtenFolders: (await judgeNamedPaths(each.possible?.writtenFolders ?? [])).map((path) => ({
        ...path,
        isFolder: true,
        mayBeTree: true as const,
        contents: ALL_ENTRIES,
      })),
      // An unknown program may use everything below a folder, as in `docker run -v .:/x` and `git restore .`.
      possiblePartPaths: (await judgeReads(toTouchedPaths(each.possible?.partPaths ?? []))).map(withFolder),
    })),
  )
  const opaqueCount = judgedCommands.filter(isOpaque).length
  return {
    analysis,
    text,
    commands: judgedCommands.map((each) => withContents(each, judgedCommands, opaqueCount)),
    isUnresolved,
    risks,
  }
}

/** Whether it is unknown which files a command changes. */
function isOpaque({ possible, hasUnknownPath }: JudgedCommand): boolean {
  return hasUnknownPath === true || (possible !== undefined && possible.onlyReads !== true)
}

const ALL_ENTRIES: readonly EntryQuery[] = [{ prefix: '', suffix: '', isDeep: true }]

/** Adds which files in a folder a command reads, unless another part of the script may change the folder before. */
function withContents(command: JudgedCommand, all: readonly JudgedCommand[], opaqueCount: number): JudgedCommand {
  const opaqueOthers = opaqueCount - (isOpaque(command) ? 1 : 0)
  // Git may print files that exist only in its history.
  if (opaqueOthers > 0 || /(?:^|\/)git$/.test(command.words[0] ?? '')) return command
  if (!command.reads.some(({ isFolder }) => isFolder)) return command
  const otherCommands = all.filter((each) => each !== command)
  const writtenForms = otherCommands
    .flatMap(({ writes, redirects }) => [...writes, ...redirects])
    .flatMap(({ forms }) => forms)
  const reads = command.reads.map((path) => {
    if (!path.isFolder || path.problem !== undefined) return path
    const overlaps = (form: string) =>
      writtenForms.some((each) => isWithin(each, form, true) || isWithin(form, each, true))
    if (path.forms.some(overlaps)) return path
    const foundFiles = command.found?.filter(({ folder }) => folder === path.originalPath) ?? []
    const isPartial = foundFiles.length > 0 && foundFiles.every(({ isOnlyUse }) => isOnlyUse === true)
    return { ...path, contents: isPartial ? foundFiles : ALL_ENTRIES }
  })
  return { ...command, reads }
}

/** Marks a path that ends with `.` or `..` as a folder, even if the file system could not be asked. */
function withFolder(path: JudgedPath): JudgedPath {
  return /(?:^|\/)\.{1,2}$/.test(path.originalPath) ? { ...path, isFolder: true } : path
}
