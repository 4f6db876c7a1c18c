import type { Confinement, ShellOutcome, ShellPort, ShellRequest } from '../contract/ports/shell.js'
import type { ToolContext, ToolResult } from '../contract/tool/tool.js'
import { plainOutput } from '../shared/plain-output.js'
import { type CommandInput, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from './command-input.js'
import { commandNotes } from './command-notes.js'
import type { CommandOutput } from './command-output.js'
import { type CommandProgress, createProgress } from './command-progress.js'
import type { ExitMeaning } from './exit-meaning.js'
import { isFolderGone } from './folder-is-gone.js'
import { nextFolder } from './next-folder.js'

/** How a tool wants its command run. */
export interface CommandManner {
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
  if (outcome.taskId !== undefined) return { data, goesOn: outcome.ended ?? UNKNOWN_END }
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
    atLimit: manner.mayGoOn && canReadTasks(context) ? 'background' : 'end',
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
    goesOn: ended,
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
