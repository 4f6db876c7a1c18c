import type { CommandAnalysis, CommandLine, FoundFiles, SimpleCommand } from '../../contract/command.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { commandOf } from '../../contract/tool/command-of.js'
import { allowNamesOf, type KnownMcpTool, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, ToolContext } from '../../contract/tool/tool.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { isCoreCommand, readPlainScript } from '../../shell/programs/audited-core.js'
import { unknownCommand } from '../../shell/unknown-command.js'
import { isKnown } from '../../shell/words/shell-word.js'
import {
  createLookup,
  type JudgedPath,
  judgePath,
  type Lookup,
  type PathFacts,
  type TouchedPath,
} from '../paths/judge-path.js'
import type { Place } from '../paths/place.js'
import { withProtectedFolder } from '../paths/protected-files.js'
import { findWorkingDirectories } from '../paths/working-directories.js'
import { type CallTouch, touchOf } from './call-touch.js'

/** A simple command with judged paths. */
export interface JudgedCommand extends Omit<SimpleCommand, 'reads' | 'writes' | 'redirects'> {
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  readonly redirects: readonly JudgedPath[]
  /** Files that the command may read or write, because no table describes it completely. */
  readonly possiblePaths: readonly JudgedPath[]
  /** Files that a part of an argument may name. */
  readonly possibleParts: readonly JudgedPath[]
}

/** The command that a call runs, with the paths of each of its parts judged. */
export interface CallCommand {
  readonly analysis: CommandAnalysis
  readonly text: string
  readonly commands: readonly JudgedCommand[]
  readonly isUnresolved: boolean
  readonly risks: readonly string[]
}

/** Everything that rules, safety checks, modes and classifiers know about a call. It contains no tool results. */
export interface CallFacts {
  readonly tool: Tool
  readonly input: unknown
  /** The names that rules can use for the tool. */
  readonly names: readonly string[]
  /** The names that allow rules can use for the tool: only unambiguous ones. */
  readonly allowNames: readonly string[]
  /** The tool comes from an MCP server: its own statements never allow anything. */
  readonly isExternal: boolean
  /** The tool declares the call read-only. Always false for an MCP tool and for a command that was not understood. */
  readonly isReadOnly: boolean
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  /** Files that the command of the call may read. Whether it does is unknown. */
  readonly possibleReads: readonly JudgedPath[]
  /** Files that the command of the call may write. Whether it does is unknown. */
  readonly possibleWrites: readonly JudgedPath[]
  /** The call does nothing but these reads and writes. */
  readonly isExact: boolean
  readonly network: boolean
  /** The call may touch more than these reads and writes. */
  readonly isOpenEnded: boolean
  /** It is unknown which files the call touches, so any rule about files may apply. */
  readonly areFilesUnknown: boolean
  /** The tool omits files that deny rules cover, so it may search a folder that contains such files. */
  readonly skipsDeniedFiles: boolean
  /** The command is read-only by analysis, not in the audited core, and no sandbox would confine it. */
  readonly lacksSandbox: boolean
  readonly url: string | undefined
  readonly command: CallCommand | undefined
  /** Why the call cannot be judged. The user is asked. */
  readonly problem: string | undefined
  /** Why the call is always denied. */
  readonly refusal: string | undefined
  /** Every spelling of the working directories; empty if the call has neither paths nor a command. */
  readonly folders: readonly string[]
  readonly place: Place
  readonly lookup: Lookup
  readonly links: PathFacts['links']
}

/** Where the facts about calls come from. */
export interface FactSources {
  readonly paths: PathFacts
  /** Whether a tool that searches folders omits files that deny rules cover. False if left out. */
  readonly skipsDeniedFiles?: (tool: Tool) => boolean
  /** Whether read-only commands run in a sandbox. Without one, only the audited core counts as known. */
  readonly canConfine: () => MaybePromise<boolean>
}

/** The parts of a call that its facts depend on. */
export interface JudgedCall {
  readonly tool: Tool
  readonly input: unknown
  readonly place: Place
  readonly toolContext?: ToolContext
  /** The analysis of the command that the call runs. Without it, the command counts as not understood. */
  readonly command?: CommandAnalysis | undefined
}

/**
 * Finds what a call would do. Only calls with paths or a command need the file system; the facts of all others are
 * returned synchronously.
 */
export function gatherFacts(
  { tool, input, place, toolContext, command: suppliedAnalysis }: JudgedCall,
  context: ToolPermissionContext,
  sources: FactSources,
): MaybePromise<CallFacts> {
  const names = ruleNamesOf(tool)
  const isExternal = tool.isMcp === true || tool.mcpInfo !== undefined
  const line = commandOf(tool, input)
  const command = line === undefined ? undefined : analysisOf(line, suppliedAnalysis, place.cwd)
  const isDeclaredReadOnly = declaresReadOnly(tool, input, command)
  const touch = touchOf(tool, input, { isReadOnly: isDeclaredReadOnly, command })
  const call: CallFacts = {
    tool,
    input,
    names,
    allowNames: tool.mcpInfo === undefined ? names : allowNamesOf(tool, knownMcpTools(toolContext)),
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
    place,
    lookup: createLookup(sources.paths),
    links: sources.paths.links?.bind(sources.paths),
  }
  const touchesNothing = command === undefined && touch.reads.length + touch.writes.length === 0
  if (touchesNothing) return call
  if (isAnyTooLong(originalPathsOf(touch, undefined))) return { ...call, refusal: TOO_LONG }
  return judgePaths(call, touch, command, context, sources)
}

const NO_PATHS: readonly JudgedPath[] = []
const NO_TEXTS: readonly string[] = []

/**
 * Whether a tool says that a call only reads. For a tool that only runs its command, the analysis of the command decides
 * later.
 */
export function declaresReadOnly(tool: Tool, input: unknown, command: CommandAnalysis | undefined): boolean {
  return (command !== undefined && tool.runsOnlyItsCommand === true) || isCallReadOnly(tool, input, command)
}

/** The supplied analysis, if it is about the command that the call runs now. An analysis without commands counts as not understood. */
function analysisOf(line: CommandLine, suppliedAnalysis: CommandAnalysis | undefined, cwd: string): CommandAnalysis {
  if (
    suppliedAnalysis === undefined ||
    suppliedAnalysis.text !== line.text ||
    suppliedAnalysis.language !== line.language ||
    suppliedAnalysis.cwd !== cwd
  )
    return unknownCommand(line, cwd)
  return suppliedAnalysis.commands.length === 0 ? unknownCommand(line, cwd) : suppliedAnalysis
}

/** Returns all known MCP tools and servers. A context from a test may lack them. */
function knownMcpTools(context: Partial<ToolContext> | undefined): readonly KnownMcpTool[] {
  const { tools = [], mcpClients = [] } = context?.options ?? {}
  return [...tools.flatMap(({ mcpInfo }) => mcpInfo ?? []), ...mcpClients.map(({ name }) => ({ serverName: name }))]
}

/** No operating system accepts longer paths, and judging one would take many times its size in memory. */
const MAX_PATH_LENGTH = 32_768

const TOO_LONG = `A path in the input is longer than ${MAX_PATH_LENGTH} characters.`

function isAnyTooLong(paths: readonly string[]): boolean {
  return paths.some((path) => path.length > MAX_PATH_LENGTH)
}

/** Judges the paths of a call and of its command. */
async function judgePaths(
  call: CallFacts,
  touch: CallTouch,
  command: CommandAnalysis | undefined,
  context: ToolPermissionContext,
  sources: FactSources,
): Promise<CallFacts> {
  const { place, lookup } = call
  if (containsNul([command?.text ?? '', ...originalPathsOf(touch, command)])) {
    return { ...call, refusal: 'A path or command in the input contains a NUL character.' }
  }
  if (isAnyTooLong(originalPathsOf(touch, command))) return { ...call, refusal: TOO_LONG }
  const folders = await findWorkingDirectories(context, place, lookup)
  const judge = (touched: readonly TouchedPath[]) => Promise.all(touched.map((each) => judgePath(each, place, lookup)))
  const judgeWrites = async (touched: readonly TouchedPath[]) =>
    Promise.all((await judge(touched)).map((path) => withProtectedFolder(path, lookup)))
  const judgedCall = { ...call, folders, reads: await judge(touch.reads), writes: await judgeWrites(touch.writes) }
  if (command === undefined) return withProblem(judgedCall)
  const judgeFound = (found: readonly FoundFiles[]) => judgeFoundFiles(found, judge, call.links)
  const judgedCommand = await judgeCommand(command, judge, judgeWrites, judgeFound)
  const lacksSandbox = reliesOnAnalysis(judgedCommand) && !(await sources.canConfine())
  return withProblem(
    withCommand({ ...judgedCall, lacksSandbox }, lacksSandbox ? keepCore(judgedCommand) : judgedCommand),
  )
}

/** Whether the command has parts that only the analysis considers harmless. */
function reliesOnAnalysis({ text, commands }: CallCommand): boolean {
  if (!commands.some((each) => each.isReadOnly && each.areEffectsKnown)) return false
  return readPlainScript(text)?.every(isCoreCommand) !== true
}

/** Without a sandbox, the effects of a command outside the audited core count as unknown: nothing would stop a misjudged one. */
function keepCore(command: CallCommand): CallCommand {
  const isPlain = readPlainScript(command.text) !== undefined
  const commands = command.commands.map((each) => {
    const isCore = isPlain && isCoreCommand(each.argv.map(({ text }) => text))
    return isCore || !each.isReadOnly ? each : { ...each, areEffectsKnown: false }
  })
  return { ...command, commands }
}

/** Adds the effects of the command to those that the tool states. */
function withCommand(call: CallFacts, command: CallCommand): CallFacts {
  const { commands, isUnresolved } = command
  const possibleIn = (parts: readonly JudgedCommand[]) =>
    parts.flatMap((each) => [...each.possiblePaths, ...each.possibleParts])
  return {
    ...call,
    command,
    isReadOnly: call.isReadOnly && !isUnresolved && commands.length > 0 && commands.every((each) => each.isReadOnly),
    reads: [...call.reads, ...commands.flatMap((each) => each.reads)],
    writes: [...call.writes, ...commands.flatMap((each) => [...each.writes, ...each.redirects])],
    possibleReads: possibleIn(commands),
    possibleWrites: possibleIn(commands.filter(mayWritePossiblePaths)),
    network: call.network || commands.some((each) => each.network),
    isOpenEnded: call.isOpenEnded || isUnresolved || commands.some((each) => !each.areEffectsKnown),
    areFilesUnknown: isUnresolved || commands.some(hasUnknownFile),
  }
}

function mayWritePossiblePaths({ isReadOnly, possible }: JudgedCommand): boolean {
  return !isReadOnly && possible?.onlyReads !== true
}

/** Whether a file of the command is unknown. Only a command that no table describes may take any word for a file. */
function hasUnknownFile({ argv, hasUnknownPath, possible }: JudgedCommand): boolean {
  if (possible?.namesFilesInData === true || possible?.runsAnything === true) return true
  return hasUnknownPath === true || (possible !== undefined && argv.some((word) => !isKnown(word)))
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
  const fromShell = command?.commands.flatMap((each) => [...each.reads, ...each.writes, ...each.redirects]) ?? []
  return [...[...reads, ...writes].map(({ originalPath }) => originalPath), ...fromShell]
}

function containsNul(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('\0'))
}

type Judge = (touched: readonly TouchedPath[]) => Promise<readonly JudgedPath[]>

/** Judges the symbolic links among files that are found at run time: a reader would follow them. */
async function judgeFoundFiles(
  found: readonly FoundFiles[],
  judge: Judge,
  links: PathFacts['links'],
): Promise<readonly JudgedPath[]> {
  const judgedLinks = found.map(async ({ folder, ...query }) => {
    const [judged] = await judge([{ originalPath: folder, isFolder: true }])
    if (judged === undefined || judged.problem !== undefined) return []
    const lists = await Promise.all(judged.forms.map(async (form) => links?.(form, query)))
    const problem = `${folder} has too many files to look at, or names with blanks or quotes`
    if (lists.includes(undefined)) return [{ ...judged, problem }]
    return judge(lists.flatMap((list) => list ?? []).map((path) => ({ originalPath: path, isFolder: false })))
  })
  return (await Promise.all(judgedLinks)).flat()
}

async function judgeCommand(
  analysis: CommandAnalysis,
  judgeReads: Judge,
  judgeWrites: Judge,
  judgeFound: (found: readonly FoundFiles[]) => Promise<readonly JudgedPath[]>,
): Promise<CallCommand> {
  const { text, commands, isUnresolved, risks } = analysis
  const toTouchedPaths = (paths: readonly string[]) =>
    paths.map((path) => ({ originalPath: path, isFolder: path.endsWith('/') }))
  // A command that names a folder does not touch its files, unless the analysis adds a trailing slash.
  const judgeNamed = async (paths: readonly string[]) =>
    (await judgeReads(toTouchedPaths(paths))).map((path) => ({ ...path, isFolder: path.originalPath.endsWith('/') }))
  const judgePossible = async ({ words, isReadOnly, possible }: SimpleCommand) => {
    const isGitWriter = words[0] === 'git' && !isReadOnly && possible?.onlyReads !== true
    if (!isGitWriter) return judgeNamed(possible?.paths ?? [])
    return (await judgeReads(toTouchedPaths(possible?.paths ?? []))).map(withFolder)
  }
  const judgedCommands = await Promise.all(
    commands.map(async (each) => ({
      ...each,
      reads: [...(await judgeNamed(each.reads)), ...(await judgeFound(each.found ?? []))],
      writes: await judgeWrites(toTouchedPaths(each.writes)),
      redirects: await judgeWrites(toTouchedPaths(each.redirects)),
      possiblePaths: await judgePossible(each),
      // An unknown program may use everything below a folder, as `docker run -v .:/x` and `git restore .` do.
      possibleParts: (await judgeReads(toTouchedPaths(each.possible?.partPaths ?? []))).map(withFolder),
    })),
  )
  return { analysis, text, commands: judgedCommands, isUnresolved, risks }
}

/** A path that ends with a dot is a folder, also where the file system gives no answer. */
function withFolder(path: JudgedPath): JudgedPath {
  return /(?:^|\/)\.{1,2}$/.test(path.originalPath) ? { ...path, isFolder: true } : path
}
