import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { CommandLanguage } from '../../contract/tool/identity.js'
import { allowNamesOf, type KnownMcpTool, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, ToolContext } from '../../contract/tool/tool.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { ShellFacts, SimpleCommand } from '../../shell/facts.js'
import {
  createLookup,
  type JudgedPath,
  judgePath,
  type Lookup,
  type PathFacts,
  type TouchedPath,
} from '../paths/judge-path.js'
import type { Place } from '../paths/place.js'
import { withHeldFolder } from '../paths/protected-files.js'
import { workingDirectories } from '../paths/working-directories.js'
import { type CallTouch, callTouch } from './call-touch.js'
import { commandOf } from './command-of.js'
import { type ShellAnalysis, unknownFacts } from './shell-analysis.js'

/** A simple command with its paths judged. */
export interface JudgedCommand extends Omit<SimpleCommand, 'reads' | 'writes' | 'redirects'> {
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  readonly redirects: readonly JudgedPath[]
}

/** The command of a call that runs one. */
export interface CallCommand {
  readonly text: string
  readonly commands: readonly JudgedCommand[]
  readonly isUnresolved: boolean
  readonly risks: readonly string[]
}

/** Everything about a call that rules, safety checks, modes and classifiers look at. No result of any tool is in it. */
export interface CallFacts {
  readonly tool: Tool
  readonly input: unknown
  /** The names by which rules mean the tool. */
  readonly names: readonly string[]
  /** The names by which rules that allow mean it: never one that may mean another tool, too. */
  readonly allowNames: readonly string[]
  /** Comes over a protocol: what it says of itself lifts nothing. */
  readonly isFromOutside: boolean
  /** By its own word, which for an outsider and for a command that is not understood is not taken. */
  readonly isReadOnly: boolean
  readonly reads: readonly JudgedPath[]
  readonly writes: readonly JudgedPath[]
  /** Reads and writes are all that the call does. */
  readonly isExact: boolean
  readonly network: boolean
  /** More may be touched than reads and writes tell. */
  readonly isOpenEnded: boolean
  /** Nobody can tell which files are touched, so that every rule about files may be meant. */
  readonly areFilesUnknown: boolean
  /** The tool leaves out by itself what deny rules for reading name, so a folder may be searched around them. */
  readonly skipsDeniedFiles: boolean
  readonly url: string | undefined
  readonly command: CallCommand | undefined
  /** Why the call cannot be judged. */
  readonly problem: string | undefined
  /** Why no call like this is ever carried out. */
  readonly refusal: string | undefined
  /** Every spelling of the working directories; none where the call has neither paths nor a command. */
  readonly folders: readonly string[]
  readonly place: Place
  readonly lookup: Lookup
}

export interface FactSources {
  readonly paths: PathFacts
  readonly shell: ShellAnalysis
  /** Whether a tool that searches folders leaves out what deny rules name. No tool does unless the host knows it. */
  readonly skipsDeniedFiles?: (tool: Tool) => boolean
}

/**
 * Finds out what a call would do. Most calls have neither paths nor a command: those are answered at once,
 * and only the others ask the file system and the shell analysis.
 */
export function gatherFacts(
  { tool, input, place, toolContext }: { tool: Tool; input: unknown; place: Place; toolContext?: ToolContext },
  context: ToolPermissionContext,
  sources: FactSources,
): MaybePromise<CallFacts> {
  const names = ruleNamesOf(tool)
  const isFromOutside = tool.isMcp === true || tool.mcpInfo !== undefined
  const text = commandOf(tool, input)
  const saysReadOnly = saysItReads(tool, input, text)
  const touch = callTouch(tool, input, { isReadOnly: saysReadOnly, runsCommand: text !== undefined })
  const call: CallFacts = {
    tool,
    input,
    names,
    allowNames: tool.mcpInfo === undefined ? names : allowNamesOf(tool, neighboursIn(toolContext)),
    isFromOutside,
    isReadOnly: saysReadOnly && !isFromOutside,
    reads: NO_PATHS,
    writes: NO_PATHS,
    isExact: touch.isExact && !isFromOutside && text === undefined,
    network: touch.network || isFromOutside,
    isOpenEnded: touch.isOpenEnded,
    areFilesUnknown: touch.isOpenEnded && text === undefined,
    skipsDeniedFiles: sources.skipsDeniedFiles?.(tool) === true,
    url: urlOf(input),
    command: undefined,
    problem: touch.problem,
    refusal: undefined,
    folders: NO_TEXTS,
    place,
    lookup: createLookup(sources.paths),
  }
  const isPlain = text === undefined && touch.reads.length + touch.writes.length === 0
  if (isPlain) return call
  if (isAnyTooLong(writtenPaths(touch, undefined))) return { ...call, refusal: TOO_LONG }
  return lookUp(call, touch, text, context, sources.shell)
}

const NO_PATHS: readonly JudgedPath[] = []
const NO_TEXTS: readonly string[] = []

/** What a command does in its folder and repository, its tool cannot know. */
export function saysItReads(tool: Tool, input: unknown, command: string | undefined): boolean {
  return (command !== undefined && tool.runsOnlyItsCommand === true) || isCallReadOnly(tool, input)
}

/** Everything over a protocol that the run knows of; a context made by hand may lack it. */
function neighboursIn(context: Partial<ToolContext> | undefined): readonly KnownMcpTool[] {
  const { tools = [], mcpClients = [] } = context?.options ?? {}
  return [...tools.flatMap(({ mcpInfo }) => mcpInfo ?? []), ...mcpClients.map(({ name }) => ({ serverName: name }))]
}

/** No system takes a longer path, and to judge one would cost memory many times its size. */
const MAX_PATH_LENGTH = 32_768

const TOO_LONG = `A path is longer than ${MAX_PATH_LENGTH} characters.`

function isAnyTooLong(paths: readonly string[]): boolean {
  return paths.some((path) => path.length > MAX_PATH_LENGTH)
}

/** Judges the paths of a call, its own and those of its command. */
async function lookUp(
  call: CallFacts,
  touch: CallTouch,
  text: string | undefined,
  context: ToolPermissionContext,
  analysis: ShellAnalysis,
): Promise<CallFacts> {
  const { place, lookup, tool } = call
  const shell = text === undefined ? undefined : await analyse(analysis, text, place.cwd, tool.commandLanguage)
  if (holdsNul([text ?? '', ...writtenPaths(touch, shell)])) {
    return { ...call, refusal: 'The input holds a NUL character where a path or a command stands.' }
  }
  if (isAnyTooLong(writtenPaths(touch, shell))) return { ...call, refusal: TOO_LONG }
  const folders = await workingDirectories(context, place, lookup)
  const judge = (touched: readonly TouchedPath[]) => Promise.all(touched.map((each) => judgePath(each, place, lookup)))
  const judgeWrites = async (touched: readonly TouchedPath[]) =>
    Promise.all((await judge(touched)).map((path) => withHeldFolder(path, lookup)))
  const own = { ...call, folders, reads: await judge(touch.reads), writes: await judgeWrites(touch.writes) }
  if (text === undefined || shell === undefined) return withProblem(own)
  return withProblem(withCommand(own, await judgeCommand(text, shell, judge, judgeWrites)))
}

/** Adds what the command does to what the tool itself says. */
function withCommand(call: CallFacts, command: CallCommand): CallFacts {
  const { commands, isUnresolved } = command
  return {
    ...call,
    command,
    isReadOnly: call.isReadOnly && !isUnresolved && commands.length > 0 && commands.every((each) => each.isReadOnly),
    reads: [...call.reads, ...commands.flatMap((each) => each.reads)],
    writes: [...call.writes, ...commands.flatMap((each) => [...each.writes, ...each.redirects])],
    network: call.network || commands.some((each) => each.network),
    isOpenEnded: call.isOpenEnded || isUnresolved || commands.some((each) => !each.areEffectsKnown),
    areFilesUnknown: isUnresolved || commands.some((each) => !each.areEffectsKnown && hasUnknownWord(each)),
  }
}

function hasUnknownWord({ canonical }: JudgedCommand): boolean {
  return canonical.some(({ text, resolvedLength }) => resolvedLength < text.length)
}

function withProblem(call: CallFacts): CallFacts {
  const problem = call.problem ?? [...call.reads, ...call.writes].find((path) => path.problem !== undefined)?.problem
  return problem === undefined ? call : { ...call, problem }
}

function urlOf(input: unknown): string | undefined {
  const url = field(input, 'url')
  return typeof url === 'string' ? url : undefined
}

function field(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined
}

async function analyse(
  shell: ShellAnalysis,
  command: string,
  cwd: string,
  language: CommandLanguage | undefined,
): Promise<ShellFacts> {
  if (command.trim() === '') return unknownFacts(command)
  try {
    const facts = await shell.analyse({ command, cwd, language })
    // A text in which no command was found is one that was not understood.
    if (Array.isArray(facts?.commands) && facts.commands.length > 0) return facts
  } catch {
    // An analysis that fails knows nothing: the command counts as one that nobody understood.
  }
  return unknownFacts(command)
}

function writtenPaths({ reads, writes }: CallTouch, shell: ShellFacts | undefined): readonly string[] {
  const fromShell = shell?.commands.flatMap((each) => [...each.reads, ...each.writes, ...each.redirects]) ?? []
  return [...[...reads, ...writes].map(({ written }) => written), ...fromShell]
}

function holdsNul(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('\0'))
}

type Judge = (touched: readonly TouchedPath[]) => Promise<readonly JudgedPath[]>

async function judgeCommand(
  text: string,
  { commands, isUnresolved, risks = [] }: ShellFacts,
  judgeReads: Judge,
  judgeWrites: Judge,
): Promise<CallCommand> {
  const touched = (written: readonly string[]) =>
    written.map((path) => ({ written: path, isFolder: path.endsWith('/') }))
  const judged = await Promise.all(
    commands.map(async (each) => ({
      ...each,
      // Naming a folder is not reading the files in it, unless the analysis says so by a slash at its end.
      reads: (await judgeReads(touched(each.reads))).map((path) => ({ ...path, isFolder: path.written.endsWith('/') })),
      writes: await judgeWrites(touched(each.writes)),
      redirects: await judgeWrites(touched(each.redirects)),
    })),
  )
  return { text, commands: judged, isUnresolved: isUnresolved !== false, risks }
}
