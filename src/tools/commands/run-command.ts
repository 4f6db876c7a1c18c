import type { Confinement, ShellOutcome, ShellPort, ShellRequest } from '../../contract/ports/shell.js'
import type { ToolContext, ToolResult } from '../../contract/tool/tool.js'
import { isPathInside } from '../../shared/path-containment.js'
import { plainOutput } from '../../shared/plain-output.js'
import { quoteForShell } from '../../shared/quote-for-shell.js'
import { type CommandInput, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from './command-input.js'
import type { CommandOutput } from './command-output.js'
import { type CommandProgress, createProgress } from './command-progress.js'

/** How a tool wants its command run. */
interface CommandManner {
  readonly shell: 'bash' | 'powershell'
  /** Left out, what the settings say. */
  readonly confinement?: Confinement
  /** Not for seeming to read only does it run, but by a rule of the user that names it. */
  readonly isAllowedByRule?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** At its limit it may go on in the background, if background work can be read there at all. */
  readonly mayGoOn: boolean
  /** It tells of processes, sockets or devices, of which a sandbox has its own. */
  readonly looksAtMachine?: boolean
  /** What an exit code means that says something else than success or failure. */
  readonly exitMeaning?: (exitCode: number, output: string) => ExitMeaning | undefined
}

type Context = ToolContext<'shell'>
type Started = Awaited<ReturnType<ShellPort['start']>>

/** Runs a command to its end, its limit, or into the background. */
export async function runCommand(
  input: CommandInput,
  context: Context,
  manner: CommandManner,
  onProgress?: (progress: CommandProgress) => void,
): Promise<ToolResult<CommandOutput>> {
  try {
    return await run(input, context, manner, onProgress)
  } catch (error) {
    const project = context.shell.workingFolders?.()[0]
    if (project === undefined || project === context.cwd || context.signal.aborted) throw error
    if (!(await isFolderGone(context, project))) throw error
    // Without this no command could ever lead out of a folder that is gone.
    return backIn(project, context.cwd)
  }
}

async function run(
  input: CommandInput,
  context: Context,
  manner: CommandManner,
  onProgress?: (progress: CommandProgress) => void,
): Promise<ToolResult<CommandOutput>> {
  const request = requestFor(input, context, manner)
  if (input.run_in_background === true) return started(await context.shell.start(request))
  const outcome = await context.shell.run(request, {
    signal: context.signal,
    ...(onProgress !== undefined && { onOutput: createProgress(onProgress) }),
  })
  const folder = nextFolder(outcome.cwd, context.cwd, context.shell.workingFolders?.())
  const meaning = outcome.exitCode === null ? undefined : manner.exitMeaning?.(outcome.exitCode, outcome.output.text)
  const notes = [...commandNotes(outcome, { input, manner, meaning, hasTasks: canReadTasks(context) }), ...folder.notes]
  const data = outputOf(outcome, notes, meaning)
  if (outcome.taskId !== undefined) return { data, backgroundWork: outcome.ended ?? UNKNOWN_END }
  if (folder.cwd === context.cwd) return { data }
  return { data, contextModifier: (before) => ({ ...before, cwd: folder.cwd }) }
}

/** Background work that nobody can read is none. */
export function canReadTasks({ options }: Pick<Context, 'options'>): boolean {
  return options.tools.some(({ readsTasks }) => readsTasks === true)
}

function requestFor(input: CommandInput, context: Context, manner: CommandManner): ShellRequest {
  const { shell, environment, isAllowedByRule = false } = manner
  const confinement = input.dangerouslyDisableSandbox === true ? 'none' : manner.confinement
  return {
    id: context.toolUseId,
    command: input.command,
    cwd: context.cwd,
    shell,
    timeoutMs: Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS),
    onTimeout: manner.mayGoOn && canReadTasks(context) ? 'background' : 'end',
    ...(environment !== undefined && { environment }),
    ...(confinement !== undefined && { confinement }),
    ...(isAllowedByRule && { isAllowedByRule }),
    ...(input.description !== undefined && { description: input.description }),
  }
}

function backIn(project: string, gone: string): ToolResult<CommandOutput> {
  const note = `The command did not run: the working folder ${gone} is gone. The next one starts in ${project}.`
  return {
    data: { output: '', exitCode: null, signal: null, isFailure: true, notes: [note], receivedBytes: 0 },
    contextModifier: (before) => ({ ...before, cwd: project }),
  }
}

/** Nobody tells when it ends, so that it may change more whenever one looks. */
const UNKNOWN_END = Promise.resolve({ leavesRest: true })

function started({ taskId, ended = UNKNOWN_END }: Started): ToolResult<CommandOutput> {
  const note = `It runs in the background as task ${taskId}. TaskOutput reads what it prints, TaskStop ends it.`
  return {
    data: { output: '', exitCode: null, signal: null, isFailure: false, notes: [note], receivedBytes: 0, taskId },
    backgroundWork: ended,
  }
}

function outputOf(
  { output, exitCode, signal, timedOut, taskId }: ShellOutcome,
  notes: readonly string[],
  meaning: ExitMeaning | undefined,
): CommandOutput {
  const hasFailed = timedOut || signal !== null || (exitCode !== 0 && meaning?.isFailure !== false)
  return {
    output: plainOutput(output.text),
    exitCode,
    signal,
    isFailure: taskId === undefined && hasFailed,
    notes,
    receivedBytes: output.receivedBytes,
    ...(output.path !== undefined && { path: output.path }),
    ...(taskId !== undefined && { taskId }),
  }
}

interface Around {
  readonly input: CommandInput
  readonly manner: { readonly looksAtMachine?: boolean }
  readonly meaning: ExitMeaning | undefined
  /** Background work can be read there. */
  readonly hasTasks: boolean
}

/** All that a model should know of the end of a command beside its output. */
function commandNotes(outcome: ShellOutcome, around: Around): readonly string[] {
  const { input, manner } = around
  return [
    ...endOf(outcome, around),
    ...leftRunning(outcome, around),
    ...(outcome.output.isCut && outcome.signal !== null
      ? ['It was stopped because it printed more than can be kept.']
      : []),
    ...outcome.refusals,
    ...(manner.looksAtMachine === true && outcome.confinement !== 'none' ? [OWN_VIEW] : []),
    ...((input.timeout ?? 0) > MAX_TIMEOUT_MS
      ? [`The time limit of ${input.timeout} ms was cut to ${MAX_TIMEOUT_MS} ms, the most there is.`]
      : []),
  ]
}

/** Who starts a server with `&` would otherwise look for it in vain. */
function leftRunning({ leftRunning: count = 0 }: ShellOutcome, { hasTasks }: Around): readonly string[] {
  if (count === 0) return []
  const instead = hasTasks ? ' For what shall go on use run_in_background.' : ''
  return [`What it left running (${count === 1 ? 'a process' : `${count} processes`}) was ended with it.${instead}`]
}

const OWN_VIEW =
  'It ran in a sandbox, which has processes, devices and a network of its own: this tells nothing of those of the machine. To see them, call again with dangerouslyDisableSandbox: the user decides.'

function endOf(outcome: ShellOutcome, { input, meaning, hasTasks }: Around): readonly string[] {
  const { exitCode, signal, timedOut, taskId } = outcome
  const seconds = Math.min(input.timeout ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS) / 1000
  if (taskId !== undefined) {
    const told = `It still ran after ${seconds} s and goes on in the background as task ${taskId}.`
    return [`${told} TaskOutput reads what it prints from here on, TaskStop ends it.`]
  }
  if (timedOut) {
    const instead = hasTasks ? ', or use run_in_background' : ''
    const advice = `Give it more time with timeout (at most ${MAX_TIMEOUT_MS} ms)${instead}.`
    return [`It was ended at its limit of ${seconds} s; the output above is what it had printed by then. ${advice}`]
  }
  if (signal !== null) return [`It was ended by ${signal}.`]
  if (exitCode === 0 || exitCode === null) return []
  return [meaning === undefined ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${meaning.text}.`]
}

/** What an exit code says of the program that gave it. */
export interface ExitMeaning {
  readonly text: string
  /** False where the program did its work, and the code is its answer. */
  readonly isFailure: boolean
}

/** Whether the working folder was removed, so that no command can start there any more; asked from a folder that is there. */
async function isFolderGone(
  { shell, cwd, toolUseId, signal }: ToolContext<'shell'>,
  elsewhere: string,
): Promise<boolean> {
  const command = `[ -d ${quoteForShell(cwd)} ]`
  const request = { id: `${toolUseId}-folder`, command, cwd: elsewhere, timeoutMs: 10_000 }
  try {
    const { exitCode } = await shell.run({ ...request, confinement: 'read-only' }, { signal })
    return exitCode === 1
  } catch {
    // Nothing can be run here at all: what failed first is the better answer.
    return false
  }
}

/** Where the next command starts: where this one ended, or in the project if that lies outside the working folders. */
function nextFolder(
  ended: string,
  before: string,
  folders: readonly string[] | undefined,
): { readonly cwd: string; readonly notes: readonly string[] } {
  if (ended === before) return { cwd: before, notes: [] }
  const [project] = folders ?? []
  if (folders === undefined || project === undefined || folders.some((folder) => isPathInside(ended, folder))) {
    return { cwd: ended, notes: [`The working folder is now ${ended}.`] }
  }
  return {
    cwd: project,
    notes: [`It ended in ${ended}, outside the working folders: the next command starts in ${project}.`],
  }
}
