import type { CommandAnalysis, CommandLine } from '../../contract/command.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { commandOf, onlyUrlOf } from '../../contract/tool/command-of.js'
import { allowNamesOf, type McpNeighbours, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, ToolContext, WebTarget } from '../../contract/tool/tool.js'
import { isCallDestructive, isCallReadOnly } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { MAX_PATH_LENGTH } from '../../shared/path-problem.js'
import { analyseUnknownCommand } from '../../shell/unknown-command.js'
import { createLookup, type JudgedPath, type Lookup, type PathFacts } from '../paths/judge-path.js'
import type { PathContext } from '../paths/normalise-path.js'
import { findWorkingDirectories } from '../paths/working-directories.js'
import { type CallTouch, touchOf } from './call-touch.js'
import { type CallCommand, type JudgedCommand, judgeCommand, judgeTouched, judgeWrites } from './judge-command.js'
import { limitToCore } from './limit-to-core.js'

/** The facts about a call that rules, safety checks, modes and classifiers use. They contain no tool results. */
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
  /** Whether the tool declares that the call destroys data. Always false for a command, whose analysis is more precise. */
  readonly isDestructive: boolean
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  /** Files that the call's command may read; it is unknown whether it does. */
  readonly possibleReads: readonly JudgedPath[]
  /** Files that the call's command may write; it is unknown whether it does. */
  readonly possibleWrites: readonly JudgedPath[]
  /** Whether the call does nothing but these reads and writes. */
  readonly isExact: boolean
  readonly network: boolean
  /** Whether the call may use more files than those in `reads` and `writes`. */
  readonly isOpenEnded: boolean
  /** Whether it is unknown which files the call uses, so that any rule about files may apply. */
  readonly areFilesUnknown: boolean
  /** Whether the tool omits files that deny rules cover, so that it may search a folder that contains such files. */
  readonly skipsDeniedFiles: boolean
  /** Whether the command is read-only by analysis but not in the audited core, and no sandbox would confine it. */
  readonly lacksSandbox: boolean
  /** The web page that the call is about. */
  readonly page: WebTarget | undefined
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

/** The functions of the host that supply facts about paths, tools and the sandbox. */
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

/** The properties of the user's rules that the facts depend on. */
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
  judgedCall: JudgedCall,
  rules: RulesForFacts,
  sources: FactSources,
): MaybePromise<CallFacts> {
  return judgedCall.tool.getWebTarget === undefined
    ? gatherFactsAbout(judgedCall, { page: pageOf(judgedCall.tool, judgedCall.input) }, rules, sources)
    : findPage(judgedCall).then((found) => gatherFactsAbout(judgedCall, found, rules, sources))
}

interface FoundPage {
  readonly page: WebTarget | undefined
  readonly problem?: string
}

async function findPage({ tool, input, toolContext }: JudgedCall): Promise<FoundPage> {
  try {
    if (toolContext === undefined) throw new Error('There is no context.')
    return { page: await tool.getWebTarget?.(input, toolContext) }
  } catch {
    return { page: undefined, problem: `${tool.name} failed to state which page the call is about` }
  }
}

function gatherFactsAbout(
  { tool, input, pathContext, toolContext, command: suppliedAnalysis }: JudgedCall,
  { page, problem }: FoundPage,
  rules: RulesForFacts,
  sources: FactSources,
): MaybePromise<CallFacts> {
  const names = ruleNamesOf(tool)
  const isExternal = tool.isMcp === true || tool.mcpInfo !== undefined
  const line = commandOf(tool, input)
  const command = line === undefined ? undefined : analysisOf(line, suppliedAnalysis, pathContext.cwd)
  const isDeclaredReadOnly = declaresReadOnly(tool, input, command)
  const isDestructive = command === undefined && isCallDestructive(tool, input)
  const touch = touchOf(tool, input, { isReadOnly: isDeclaredReadOnly, command })
  const call: CallFacts = {
    tool,
    input,
    names,
    allowNames: tool.mcpInfo === undefined ? names : allowNamesOf(tool, getNeighbours(toolContext)),
    isExternal,
    // A tool that states both contradicts itself.
    isReadOnly: isDeclaredReadOnly && !isExternal && !isDestructive,
    isDestructive,
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
    page,
    command: undefined,
    problem: touch.problem ?? problem,
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

/** Returns all known MCP tools and servers, which are read only if needed. A context from a test may lack them. */
function getNeighbours(context: Partial<ToolContext> | undefined): McpNeighbours {
  const options = context?.options
  return {
    get tools() {
      return options?.tools ?? []
    },
    get servers() {
      return options?.mcpClients ?? []
    },
  }
}

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
  const judgedCall = {
    ...call,
    folders,
    reads: await judgeTouched(touch.reads, call),
    writes: await judgeWrites(touch.writes, call),
  }
  if (command === undefined) return withProblem(judgedCall)
  const judgedCommand = await judgeCommand(command, call)
  const { text, commands } = judgedCommand
  const unconfinedCommands = await limitToCore(text, commands, { restrictsReading, folders, pathContext, lookup })
  const lacksSandbox = unconfinedCommands !== undefined && !(await sources.canConfine())
  return withProblem(
    withCommand(
      { ...judgedCall, lacksSandbox },
      lacksSandbox ? { ...judgedCommand, commands: unconfinedCommands } : judgedCommand,
    ),
  )
}

/** Adds the effects of the command to those that the tool states. */
function withCommand(call: CallFacts, command: CallCommand): CallFacts {
  const { commands, isUnresolved } = command
  return {
    ...call,
    command,
    isReadOnly:
      call.isReadOnly &&
      !isUnresolved &&
      commands.length > 0 &&
      commands.every((simpleCommand) => simpleCommand.isReadOnly),
    reads: [...withoutCommandReads(call.reads, commands), ...commands.flatMap((simpleCommand) => simpleCommand.reads)],
    writes: [...withoutCommandWrites(call.writes, commands), ...commands.flatMap(listWrites)],
    possibleReads: commands.flatMap((simpleCommand) => listPossiblePaths(simpleCommand, 'reads')),
    possibleWrites: commands
      .filter(mayWritePossiblePaths)
      .flatMap((simpleCommand) => listPossiblePaths(simpleCommand, 'writes')),
    network: call.network || commands.some((simpleCommand) => simpleCommand.network),
    isOpenEnded: call.isOpenEnded || isUnresolved || commands.some((simpleCommand) => !simpleCommand.areEffectsKnown),
    areFilesUnknown: isUnresolved || commands.some(hasUnknownFile),
  }
}

/** Returns the files that the words of a command may name. The files in a folder count only if the command uses them. */
function listPossiblePaths(command: JudgedCommand, use: 'reads' | 'writes'): readonly JudgedPath[] {
  const paths = [...command.possiblePaths, ...command.possiblePartPaths]
  const folders = command.possible?.folders
  if (folders === 'whole') return paths
  const isRewritten = folders === 'rewritten' && use === 'writes'
  return paths.map((path) => ({ ...path, ...(isRewritten ? { isSourceFolder: true } : { isNameOnly: true }) }))
}

/** Leaves out stated paths that the command analysis lists too: the analysis also describes how the command reads them. */
function withoutCommandReads(
  statedReads: readonly JudgedPath[],
  commands: readonly JudgedCommand[],
): readonly JudgedPath[] {
  const names = new Set(commands.flatMap(({ reads }) => reads.map(({ originalPath }) => originalPath)))
  return statedReads.filter(({ originalPath }) => !names.has(originalPath))
}

/** Leaves out stated writes that the command analysis lists too: it judges a pattern more precisely than its folder. */
function withoutCommandWrites(
  statedWrites: readonly JudgedPath[],
  commands: readonly JudgedCommand[],
): readonly JudgedPath[] {
  const names = new Set(
    commands.flatMap((simpleCommand) => listWrites(simpleCommand).map(({ originalPath }) => originalPath)),
  )
  return statedWrites.filter(({ originalPath }) => !names.has(originalPath))
}

function listWrites({ writes, redirects }: JudgedCommand): readonly JudgedPath[] {
  return [...writes, ...redirects]
}

function mayWritePossiblePaths({ isReadOnly, possible }: JudgedCommand): boolean {
  return !isReadOnly && possible?.onlyReads !== true
}

/** Programs that write files whose names they derive from the file names that they are given. */
const DERIVES_NAMES =
  /(?:^|\/)(?:gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|unlzma|zstd|unzstd|lz4|compress|uncompress|split|csplit|ssh-keygen)$/
const BACKUP_PROGRAM = /(?:^|\/)(?:cp|mv|ln|install|sed|patch)$/
/** Options with which the programs of `BACKUP_PROGRAM` write a backup under a derived name. */
const BACKUP_OPTION = /^-(?:[A-Za-z]*[bS]|[A-Za-z]*i.)|^--(?:backup|suffix|in-place=)/

/** Whether it is unknown which files the command uses. */
export function hasUnknownFile({ words, isReadOnly, hasUnknownPath, possible }: JudgedCommand): boolean {
  if (possible?.usesAnyFile === true || possible?.runsAnything === true || hasUnknownPath === true) return true
  if (isReadOnly) return false
  const [program = '', ...args] = words
  return DERIVES_NAMES.test(program) || (BACKUP_PROGRAM.test(program) && args.some((text) => BACKUP_OPTION.test(text)))
}

function withProblem(call: CallFacts): CallFacts {
  const problem = call.problem ?? [...call.reads, ...call.writes].find((path) => path.problem !== undefined)?.problem
  return problem === undefined ? call : { ...call, problem }
}

function pageOf(tool: Tool, input: unknown): WebTarget | undefined {
  if (tool.connectsOnlyTo !== undefined) {
    const onlyUrl = onlyUrlOf(tool, input)
    return onlyUrl === undefined ? undefined : { url: onlyUrl }
  }
  const url = fieldOf(input, 'url')
  return typeof url === 'string' ? { url } : undefined
}

function fieldOf(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined
}

function originalPathsOf({ reads, writes }: CallTouch, command: CommandAnalysis | undefined): readonly string[] {
  const shellPaths =
    command?.commands.flatMap((simpleCommand) => [
      ...simpleCommand.reads,
      ...simpleCommand.writes,
      ...simpleCommand.redirects,
    ]) ?? []
  return [...[...reads, ...writes].map(({ originalPath }) => originalPath), ...shellPaths]
}

function containsNul(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('\0'))
}
