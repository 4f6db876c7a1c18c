import { randomUUID } from 'node:crypto'
import { ToolCallError } from '../../contract/errors.js'
import type { ConfinementStatus, ShellPort, ShellRequest } from '../../contract/ports/shell.js'
import type { BackgroundTask, TasksPort } from '../../contract/ports/tasks.js'
import { TaskRegistry } from '../tasks/task-registry.js'
import { CommandOutput, type OnOutput } from './command-output.js'
import { CommandRun } from './command-run.js'
import type { ConfinePort } from './confine.js'
import { endProcesses } from './end-processes.js'
import { firstEnd } from './first-end.js'
import { releaseHostResources, useHostResources } from './host-resources.js'
import { launchCommand } from './launch-command.js'
import type { OpenOutput } from './output-sink.js'
import { commandMark } from './process-mark.js'
import { readStat } from './read-stat.js'
import { shellTask } from './shell-task.js'

export interface ShellPortOptions {
  /** What commands inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly openOutput: OpenOutput
  readonly sandbox?: ConfinePort | undefined
  /** Where commands in the background are listed, with other work; a list of its own if left out. */
  readonly tasks?: TaskRegistry | undefined
  readonly onTaskEnded?: ((task: BackgroundTask) => void) | undefined
  /** How many background tasks that have ended are remembered. */
  readonly mostEndedTasks?: number | undefined
}

export interface NodeShellPort extends ShellPort {
  readonly tasks: TasksPort
  /** Begins with what the first command would wait for. */
  warmUp(): void
  /** Ends everything that was started here; the port takes no more commands. */
  dispose(): Promise<void>
}

interface LaunchCall {
  readonly signal?: AbortSignal
  readonly onOutput?: OnOutput | undefined
  readonly isAskedFor: boolean
}

/** By then, commands that were called for together have all started. */
const CALM_MS = 50

const NO_SANDBOX: ConfinePort = {
  confine: () => ({ argvPrefix: [], confinement: 'none', explain: () => [] }),
  status: (): ConfinementStatus => ({ isAvailable: false, reason: 'no sandbox', byDefault: 'none' }),
}

/** Runs commands as processes of this machine. */
export function createShellPort(options: ShellPortOptions): NodeShellPort {
  const { environment, openOutput, sandbox = NO_SANDBOX, onTaskEnded, mostEndedTasks } = options
  const { confine } = sandbox
  const portMark = randomUUID()
  const resources = useHostResources(environment)
  const tasks = options.tasks ?? new TaskRegistry({ onTaskEnded, mostEnded: mostEndedTasks })
  const launches = new Set<Promise<unknown>>()
  const runs = new Set<CommandRun>()
  let count = 0
  let hasRehearsed = false
  let disposed: Promise<void> | undefined

  /** `signal` and `onOutput` are those of a call that waits for the command. */
  async function launch(request: ShellRequest, call: LaunchCall): Promise<CommandRun> {
    const checkWanted = (): void => {
      if (disposed !== undefined) throw new ToolCallError('unavailable', 'The shell was closed.')
      if (call.signal?.aborted) throw new ToolCallError('cancelled', 'The command was cancelled before it began.')
    }
    checkWanted()
    const { id } = request
    const output = new CommandOutput({ sink: openOutput(id), onOutput: call.onOutput, isAskedFor: call.isAskedFor })
    resources.supervisor.watch(`mark ${portMark}`)
    count++
    const mark = commandMark(portMark, count)
    const launched = await launchCommand(request, { environment, resources, confine, mark, checkWanted })
    const run = new CommandRun(request, launched, output)
    runs.add(run)
    void run.settled.then(() => {
      runs.delete(run)
      resources.supervisor.forget(run.leader)
    })
    return run
  }

  async function track<T>(work: Promise<T>): Promise<T> {
    launches.add(work)
    try {
      return await work
    } finally {
      launches.delete(work)
    }
  }

  function inBackground(run: CommandRun) {
    const work = shellTask(run)
    return { taskId: tasks.add(work).id, ended: work.ended }
  }

  /** The end of the first command would be slow, being the first: what takes longest of it is tried while the command runs. */
  function rehearseEnd(run: CommandRun): void {
    if (hasRehearsed) return
    hasRehearsed = true
    const timer = setTimeout(() => void run.leavesRest().catch(() => undefined), CALM_MS).unref()
    void run.exited.then(() => clearTimeout(timer))
  }

  async function dispose(): Promise<void> {
    await Promise.allSettled(launches)
    await tasks.stopAll()
    await Promise.allSettled(Array.from(runs, (run) => run.settle()))
    // Nothing but a command carries the mark.
    if (count > 0) await endProcesses({ mark: portMark, startedAt: readStat(process.pid)?.startedAt })
    await releaseHostResources()
  }

  return {
    tasks,
    warmUp() {
      if (disposed !== undefined) return
      // Every command waits for the first, and most for the second.
      resources.workplace.prepare()
      void sandbox.status()
      resources.supervisor.watch(`mark ${portMark}`)
    },
    async run(request, { signal, onOutput }) {
      const isAskedFor = request.atLimit === 'background'
      const run = await track(launch(request, { signal, onOutput, isAskedFor }))
      rehearseEnd(run)
      const end = await firstEnd(run, { timeoutMs: request.timeoutMs, signal })
      if (end === 'limit' && isAskedFor) {
        run.output.stopShowing()
        return { ...run.outcomeSoFar(), ...inBackground(run) }
      }
      if (end === 'exited') await run.drain()
      return run.settle({ timedOut: end === 'limit' })
    },
    async start(request) {
      const run = await track(launch(request, { isAskedFor: true }))
      return inBackground(run)
    },
    confinement: async () => sandbox.status(),
    dispose() {
      disposed ??= dispose()
      return disposed
    },
  }
}
