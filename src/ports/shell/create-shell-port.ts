import { ToolCallError } from '../../contract/errors.js'
import { MAX_BACKGROUND_COMMANDS } from '../../contract/limits.js'
import type { ShellOutcome, ShellPort, ShellRequest } from '../../contract/ports/shell.js'
import type { BackgroundTask, TaskEnd, TasksPort, TaskWork } from '../../contract/ports/tasks.js'
import { cutText } from '../../shared/cut-text.js'
import type { SecretMasker } from '../../shared/secret-masker.js'
import { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { TaskRegistry } from '../tasks/task-registry.js'
import { CommandFileMaker } from './command-files.js'
import { CommandOutput, type OnOutput, type OpenOutput } from './command-output.js'
import { CommandRun } from './command-run.js'
import { type ConfinePort, NO_SANDBOX } from './confinement.js'
import { launchCommand } from './launch-command.js'

export interface ShellPortOptions {
  /** The variables that commands inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly openOutput: OpenOutput
  /** Masks secrets in the output of commands. */
  readonly secrets?: SecretMasker | undefined
  readonly sandbox?: ConfinePort | undefined
  /** The list of background work that commands are added to. Defaults to a new list. */
  readonly tasks?: TaskRegistry | undefined
  readonly onTaskEnded?: ((task: BackgroundTask) => void) | undefined
}

export interface NodeShellPort extends ShellPort {
  readonly tasks: TasksPort
  /** Starts the supervisor and creates pipes, so that the first command need not wait for them. */
  warmUp(): void
  /** Ends everything that was started here. After that, the port accepts no commands. */
  dispose(): Promise<void>
}

interface LaunchCall {
  readonly signal?: AbortSignal
  readonly onOutput?: OnOutput | undefined
  readonly canContinueInBackground: boolean
}

const MAX_DESCRIPTION_CHARS = 200

/** Creates a port that runs commands as processes of this machine. */
export function createShellPort(options: ShellPortOptions): NodeShellPort {
  const { environment, openOutput, secrets, sandbox = NO_SANDBOX, onTaskEnded } = options
  const { confine } = sandbox
  const processes = new SupervisedProcesses(environment)
  const files = new CommandFileMaker()
  const tasks = options.tasks ?? new TaskRegistry({ onTaskEnded })
  const pendingLaunches = new Set<Promise<unknown>>()
  const runs = new Set<CommandRun>()
  let disposal: Promise<void> | undefined

  async function launch(request: ShellRequest, call: LaunchCall): Promise<CommandRun> {
    const throwIfCancelled = (): void => {
      if (disposal !== undefined)
        throw new ToolCallError('unavailable', 'The command was not started: the shell is closed.')
      if (call.signal?.aborted) throw new ToolCallError('cancelled', 'The command was cancelled before it started.')
    }
    throwIfCancelled()
    const output = new CommandOutput({ sink: openOutput(request.id), masking: secrets?.openStream(), ...call })
    const launchedCommand = await launchCommand(request, { environment, processes, files, confine, throwIfCancelled })
    const run = new CommandRun(request, launchedCommand, output)
    runs.add(run)
    void run.settled.then(() => runs.delete(run))
    return run
  }

  async function track<T>(work: Promise<T>): Promise<T> {
    pendingLaunches.add(work)
    try {
      return await work
    } finally {
      pendingLaunches.delete(work)
    }
  }

  function addTask(run: CommandRun, kind: TaskWork['kind'] = 'shell') {
    const work = toBackgroundWork(run, kind)
    return { taskId: tasks.add(work).id, ended: work.ended }
  }

  async function dispose(): Promise<void> {
    await Promise.allSettled(pendingLaunches)
    await tasks.stopAll()
    await Promise.allSettled(Array.from(runs, (run) => run.settle()))
    await Promise.all([processes.dispose(), files.remove()])
  }

  return {
    tasks,
    warmUp() {
      if (disposal !== undefined) return
      files.prepare()
      processes.warmUp()
    },
    async run(request, { signal, onOutput }) {
      const canContinueInBackground = request.onTimeout === 'background'
      const run = await track(launch(request, { signal, onOutput, canContinueInBackground }))
      const end = await run.waitForFirstEnd(signal)
      if (end === 'limit' && canContinueInBackground) {
        run.output.removeListener()
        return { ...run.readCurrentOutcome(), ...addTask(run) }
      }
      if (end === 'exited') await run.drain()
      return run.settle({ timedOut: end === 'limit' })
    },
    async start(request, { kind, onOutput } = {}) {
      checkTaskLimit(tasks)
      return addTask(await track(launch(request, { canContinueInBackground: true, onOutput })), kind)
    },
    confinement: async () => sandbox.status(),
    dispose() {
      disposal ??= dispose()
      return disposal
    },
  }
}

/** Throws if too many tasks are running. A model that starts one server after another must not exhaust the machine. */
function checkTaskLimit(tasks: TaskRegistry): void {
  const runningTasks = tasks.list().filter(({ kind, status }) => kind !== 'agent' && status === 'running')
  if (runningTasks.length < MAX_BACKGROUND_COMMANDS) return
  const ids = runningTasks.slice(0, 5).map(({ id }) => id)
  throw new ToolCallError(
    'unavailable',
    `The command was not started: ${runningTasks.length} commands run in the background, which is the limit. Stop some of them first, for example ${ids.join(', ')}.`,
  )
}

/**
 * Wraps a command as background work. The work ends when no process holds the command's output any more, when the output is
 * full, or when it is stopped.
 */
function toBackgroundWork(run: CommandRun, kind: TaskWork['kind']): TaskWork {
  let isStopped = false
  const outputDrained = run.drained.then(async () => {
    const outcome = await run.settle({ shouldLeaveProcesses: true })
    return { ...toTaskEnd(outcome, isStopped), mayLeaveProcesses: await run.hasRunningProcesses() }
  })
  const outputFilled = run.output.filled.then(async () => toTaskEnd(await run.settle(), isStopped))
  const { description, command } = run.request
  run.output.keepForUser()
  return {
    kind,
    description: description ?? cutText(command, MAX_DESCRIPTION_CHARS),
    ended: Promise.race([outputDrained, outputFilled]).catch(
      (): TaskEnd => ({ status: 'failed', exitCode: null, mayLeaveProcesses: true }),
    ),
    takeOutput() {
      const { text, path, receivedBytes, isCut } = run.output.takeUnread()
      const notice = isCut ? '\n[The command was stopped because it printed more than the output limit.]' : ''
      return { text: text + notice, ...(path !== undefined && { path }), receivedBytes }
    },
    peek: () => run.output.peek(),
    async stop() {
      isStopped = true
      await run.settle()
    },
  }
}

function toTaskEnd({ exitCode }: ShellOutcome, isStopped: boolean): TaskEnd {
  if (isStopped) return { status: 'stopped', exitCode }
  return { status: exitCode === 0 ? 'completed' : 'failed', exitCode }
}
