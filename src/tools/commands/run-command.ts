import type { CommandAnalysis } from '../../contract/command.js'
import { ToolCallError } from '../../contract/errors.js'
import type { Confinement, ShellOutcome, ShellPort, ShellRequest, StartOptions } from '../../contract/ports/shell.js'
import type { ToolContext, ToolResult } from '../../contract/tool/tool.js'
import { isPathInside } from '../../shared/path-containment.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { quoteForShell } from '../../shared/quote.js'
import { type CommandInput, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from './command-input.js'
import { type CommandOutput, type CommandProgress, createProgressReporter } from './command-output.js'

/** Decisions that the tool makes about a command, in addition to the model's input. */
export interface RunOptions {
  readonly shell: 'bash' | 'powershell'
  /** The analysis of the command. If omitted, the command may do anything. */
  readonly command?: CommandAnalysis | undefined
  /** How the command is confined. Defaults to the setting. */
  readonly confinement?: Confinement
  /** Whether an explicit user rule, not the read-only analysis, allowed the command. */
  readonly isAllowedByRule?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** How a background command is watched. */
  readonly start?: StartOptions
  /** Returns the meaning of an exit code that is more specific than success or failure. */
  readonly exitMeaning?: (exitCode: number, output: string) => ExitMeaning | undefined
}

type Context = ToolContext<'shell'>
type StartedTask = Awaited<ReturnType<ShellPort['start']>>

/** Runs a command until it ends, reaches its time limit, or continues in the background. */
export async function runCommand(
  input: CommandInput,
  context: Context,
  options: RunOptions,
  onProgress?: (progress: CommandProgress) => void,
): Promise<ToolResult<CommandOutput>> {
  try {
    return await run(input, context, options, onProgress)
  } catch (error) {
    const project = context.shell.workingFolders?.()[0]
    if (project === undefined || project === context.cwd || context.signal.aborted) throw error
    if (!(await isFolderMissing(context, project))) throw error
    // Continuing in the project keeps later commands from failing in the removed folder.
    return createRemovedFolderResult(project, context.cwd)
  }
}

async function run(
  input: CommandInput,
  context: Context,
  options: RunOptions,
  onProgress?: (progress: CommandProgress) => void,
): Promise<ToolResult<CommandOutput>> {
  const request = createRequest(input, context, options)
  if (input.run_in_background === true) return createStartedResult(await context.shell.start(request, options.start))
  const outcome = await context.shell.run(request, {
    signal: context.signal,
    ...(onProgress !== undefined && { onOutput: createProgressReporter(onProgress) }),
  })
  // Otherwise the call would count as finished, although the command was stopped before its end.
  if (outcome.exitCode !== 0 && context.signal.aborted)
    throw new ToolCallError('cancelled', 'The command was stopped.', {
      outputSoFar: toPlainOutput(outcome.output.text),
    })
  const folder = chooseNextFolder(outcome.cwd, context.cwd, context.shell.workingFolders?.())
  const meaning = outcome.exitCode === null ? undefined : options.exitMeaning?.(outcome.exitCode, outcome.output.text)
  const notes = [
    ...collectNotes(outcome, { input, command: options.command, meaning, hasTasks: canReadTasks(context) }),
    ...folder.notes,
  ]
  const data = toOutput(outcome, notes, meaning)
  if (outcome.taskId !== undefined) return { data, backgroundWork: outcome.ended ?? UNKNOWN_END }
  if (folder.cwd === context.cwd) return { data }
  return { data, contextModifier: (contextBefore) => ({ ...contextBefore, cwd: folder.cwd }) }
}

/** Whether the pool has a tool that reads background tasks. Without one, no command continues in the background. */
export function canReadTasks({ options }: Pick<Context, 'options'>): boolean {
  return options.tools.some(({ readsTasks }) => readsTasks === true)
}

function createRequest(input: CommandInput, context: Context, options: RunOptions): ShellRequest {
  const { shell, environment, isAllowedByRule = false } = options
  const confinement = input.dangerouslyDisableSandbox === true ? 'none' : options.confinement
  return {
    id: context.toolUseId,
    command: input.command,
    cwd: context.cwd,
    shell,
    timeoutMs: Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS),
    ...(options.command !== undefined && { analysis: options.command }),
    // A command that only waits gains nothing from continuing in the background.
    onTimeout: options.command?.startsByWaiting !== true && canReadTasks(context) ? 'background' : 'end',
    ...(environment !== undefined && { environment }),
    ...(confinement !== undefined && { confinement }),
    ...(isAllowedByRule && { isAllowedByRule }),
    ...(input.description !== undefined && { description: input.description }),
  }
}

function createRemovedFolderResult(project: string, missingFolder: string): ToolResult<CommandOutput> {
  const note = `The command did not run: the working directory ${missingFolder} no longer exists. The next command starts in ${project}.`
  return {
    data: { output: '', exitCode: null, signal: null, isFailure: true, notes: [note], receivedBytes: 0 },
    contextModifier: (contextBefore) => ({ ...contextBefore, cwd: project }),
  }
}

/** Used if a port does not report when background work ends: the work may then change files at any time. */
const UNKNOWN_END = Promise.resolve({ mayLeaveProcesses: true })

function createStartedResult({ taskId, ended = UNKNOWN_END }: StartedTask): ToolResult<CommandOutput> {
  const note = `Running in the background as task ${taskId}. TaskOutput reads its output, TaskStop ends it.`
  return {
    data: { output: '', exitCode: null, signal: null, isFailure: false, notes: [note], receivedBytes: 0, taskId },
    backgroundWork: ended,
  }
}

function toOutput(
  { output, exitCode, signal, timedOut, taskId }: ShellOutcome,
  notes: readonly string[],
  meaning: ExitMeaning | undefined,
): CommandOutput {
  const hasFailed = timedOut || signal !== null || (exitCode !== 0 && meaning?.isFailure !== false)
  return {
    output: toPlainOutput(output.text),
    exitCode,
    signal,
    isFailure: taskId === undefined && hasFailed,
    notes,
    receivedBytes: output.receivedBytes,
    ...(output.path !== undefined && { path: output.path }),
    ...(taskId !== undefined && { taskId }),
  }
}

interface NoteContext {
  readonly input: CommandInput
  readonly command: CommandAnalysis | undefined
  readonly meaning: ExitMeaning | undefined
  /** Whether the pool has a tool that reads background tasks. */
  readonly hasTasks: boolean
}

/** Returns notes for the model about how a command ended. */
function collectNotes(outcome: ShellOutcome, context: NoteContext): readonly string[] {
  const { input, command } = context
  return [
    ...describeEnd(outcome, context),
    ...describeEndedProcesses(outcome, context),
    ...(outcome.output.isCut && outcome.signal !== null
      ? ['The command was stopped because its output exceeded the size limit.']
      : []),
    ...outcome.refusals,
    ...(command?.readsMachineState === true && outcome.confinement !== 'none' ? [SANDBOX_VIEW_NOTE] : []),
    ...((input.timeout ?? 0) > MAX_TIMEOUT_MS
      ? [`The time limit of ${input.timeout} ms was reduced to the maximum of ${MAX_TIMEOUT_MS} ms.`]
      : []),
  ]
}

/** Reports processes that were ended with the command, such as a server that the model started with `&`. */
function describeEndedProcesses(
  { killedProcessCount: count = 0 }: ShellOutcome,
  { hasTasks }: NoteContext,
): readonly string[] {
  if (count === 0) return []
  const backgroundHint = hasTasks ? ' Use run_in_background for commands that should continue.' : ''
  return [`Processes left running (${count}) were ended with the command.${backgroundHint}`]
}

const SANDBOX_VIEW_NOTE =
  'The command ran in a sandbox with its own processes, devices and network, so the output does not describe the machine. To inspect the machine, call again with dangerouslyDisableSandbox; the user is asked.'

function describeEnd(outcome: ShellOutcome, { input, meaning, hasTasks }: NoteContext): readonly string[] {
  const { exitCode, signal, timedOut, taskId } = outcome
  const seconds = Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS) / 1000
  if (taskId !== undefined) {
    const status = `Still running after ${seconds} s; it continues in the background as task ${taskId}.`
    return [`${status} TaskOutput reads its further output, TaskStop ends it.`]
  }
  if (timedOut) {
    const backgroundHint = hasTasks ? ', or use run_in_background' : ''
    const advice = `Set a longer timeout (at most ${MAX_TIMEOUT_MS} ms)${backgroundHint}.`
    return [`Timed out after ${seconds} s; the output above is incomplete. ${advice}`]
  }
  if (signal !== null) return [`The command was ended by signal ${signal}.`]
  if (exitCode === 0 || exitCode === null) return []
  return [meaning === undefined ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${meaning.text}.`]
}

/** The meaning of an exit code for a particular program. */
export interface ExitMeaning {
  readonly text: string
  /** False if the code is a result of the program rather than an error, as with `grep` and `diff`. */
  readonly isFailure: boolean
}

/** Whether the working directory was removed. The check runs in an existing folder. */
async function isFolderMissing(
  { shell, cwd, toolUseId, signal }: ToolContext<'shell'>,
  existingFolder: string,
): Promise<boolean> {
  const command = `[ -d ${quoteForShell(cwd)} ]`
  const request = { id: `${toolUseId}-folder`, command, cwd: existingFolder, timeoutMs: 10_000 }
  try {
    const { exitCode } = await shell.run({ ...request, confinement: 'read-only' }, { signal })
    return exitCode === 1
  } catch {
    // The shell itself does not work, so the error of the command is more useful.
    return false
  }
}

/**
 * Chooses the working directory for the next command: where this command ended, or the project if that is outside the working
 * directories.
 */
function chooseNextFolder(
  endFolder: string,
  startFolder: string,
  folders: readonly string[] | undefined,
): { readonly cwd: string; readonly notes: readonly string[] } {
  if (endFolder === startFolder) return { cwd: startFolder, notes: [] }
  const [project] = folders ?? []
  if (folders === undefined || project === undefined || folders.some((folder) => isPathInside(endFolder, folder))) {
    return { cwd: endFolder, notes: [`The working directory is now ${endFolder}.`] }
  }
  return {
    cwd: project,
    notes: [
      `The command ended in ${endFolder}, outside the working directories. The next command starts in ${project}.`,
    ],
  }
}
