import type { CommandAnalysis, CommandLine } from '../../contract/command.js'
import { commandOf } from '../../contract/tool/command-of.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { analyseUnknownCommand } from '../../shell/unknown-command.js'
import type { Repositories } from '../../shell/walk/walker.js'
import type { Call, KnownCall } from '../call.js'
import type { ReadRepositories } from '../call-environment.js'

/** The folders and git repositories that the analysis of a command depends on. */
export interface AnalysisContext {
  readonly cwd: string
  readonly homeDir: string
  readonly readRepositories?: ReadRepositories | undefined
}

/**
 * Before the call is scheduled: analyses its command by the text alone, because earlier calls may still change files.
 * The schedule gets the resources of the command from this analysis.
 */
export function analyseText<T extends KnownCall>(knownCall: T): MaybePromise<T> {
  const { call, tool, input } = knownCall
  const line = commandOf(tool, call.observe(input))
  if (line === undefined) return knownCall
  return analyseLine(line, createAnalysisContext(call)).then((analysis) => {
    call.command = analysis
    return knownCall
  })
}

/**
 * Returns the analysis of the command of a call that is about to run, with the git configuration that the command depends on.
 * Reuses the analysis of the text unless the command or the folder has changed. Call it early, so that it runs in parallel with
 * hooks; a second request for the same command gets the same analysis.
 */
export function completeAnalysis({ call, tool, input }: KnownCall): MaybePromise<CommandAnalysis | undefined> {
  const line = commandOf(tool, call.observe(input))
  if (line === undefined) return undefined
  const { command, analysis } = call
  if (analysis !== undefined && isSameLine(analysis.line, line) && analysis.cwd === call.cwd) return analysis.result
  const isKnown = command !== undefined && isSameLine(command, line) && command.cwd === call.cwd
  const context = createAnalysisContext(call)
  const result = isKnown ? addRepositories(command, context) : analyseCommandLine(line, context)
  call.analysis = { line, cwd: call.cwd, result }
  return result
}

/** Analyses a command line, and once more with the configuration of the git repositories that it depends on. */
export async function analyseCommandLine(line: CommandLine, context: AnalysisContext): Promise<CommandAnalysis> {
  return addRepositories(await analyseLine(line, context), context)
}

/**
 * Analyses a line. The result is frozen, because tools get the same object that the permission decision uses. Never rejects.
 */
async function analyseLine(
  line: CommandLine,
  context: AnalysisContext,
  repositories?: Repositories,
): Promise<CommandAnalysis> {
  const { cwd, homeDir } = context
  try {
    // There is no parser for PowerShell.
    if (line.language !== 'bash' || line.text.trim() === '') return deepFreeze(analyseUnknownCommand(line, cwd))
    const { analyseCommand } = await loadAnalyser()
    const analysis = analyseCommand(line.text, { cwd, home: homeDir, ...(repositories && { repositories }) })
    if (analysis.commands.length > 0) return deepFreeze(analysis)
    const unknownCommand = analyseUnknownCommand(line, cwd)
    return deepFreeze({ ...unknownCommand, isTooLarge: unknownCommand.isTooLarge || analysis.isTooLarge })
  } catch {
    // A command that cannot be analysed counts as not understood.
    return deepFreeze(analyseUnknownCommand(line, cwd))
  }
}

/**
 * Loads the analyser: with the first command, or earlier if one is expected, because loading it takes as long as loading all other
 * modules of this folder.
 */
export function loadAnalyser() {
  return import('../../shell/analyse-command.js')
}

async function addRepositories(analysis: CommandAnalysis, context: AnalysisContext): Promise<CommandAnalysis> {
  const { cwd, repositories: folders } = analysis
  if (folders.length === 0) return analysis
  return analyseLine(analysis, { ...context, cwd }, await readAll(folders, context))
}

/** Reads the configuration of repositories. After a failure nothing is known about them, so git may run any program. */
async function readAll(folders: readonly string[], { readRepositories }: AnalysisContext): Promise<Repositories> {
  try {
    return (await readRepositories?.(folders)) ?? new Map()
  } catch {
    return new Map()
  }
}

function createAnalysisContext({ cwd, environment }: Call): AnalysisContext {
  const { pathContext, readRepositories } = environment
  return { cwd, homeDir: pathContext.homeDir, readRepositories }
}

function isSameLine(one: CommandLine, other: CommandLine): boolean {
  return one.text === other.text && one.language === other.language
}
