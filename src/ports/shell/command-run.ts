import { constants } from 'node:os'
import type { ShellOutcome, ShellRequest } from '../../contract/ports/shell.js'
import { closeAll } from './close-all.js'
import type { CommandOutput } from './command-output.js'
import { endProcesses, findClearly } from './end-processes.js'
import type { Exit, Launched } from './launch-command.js'
import { OutputPipe } from './output-pipe.js'
import { readFolderReport } from './read-folder-report.js'
import { within } from './within.js'

/** How long output is awaited of a child that outlives its command, such as the reader of `> >(tee log)`. */
const DRAIN_MS = 300
/** How long the end of a killed process is awaited: one stuck in the kernel must not hold up the call. */
const DEATH_MS = 1_000
const KILLED: Exit = { code: null, signal: 'SIGKILL' }

interface SettleOptions {
  readonly timedOut?: boolean
  readonly leaveRest?: boolean
}

/** One command from its start to its outcome. */
export class CommandRun {
  /** Resolves when the command itself has ended; what it started may still run. */
  readonly exited: Promise<Exit>
  /** Resolves when it has ended and nobody holds its output any more. */
  readonly drained: Promise<unknown>
  /** Resolves when nothing is left to do, be it well or badly. */
  readonly settled: Promise<void>
  readonly request: ShellRequest
  readonly output: CommandOutput
  readonly #launched: Launched
  readonly #pipe: OutputPipe
  #hasExited = false
  #outcome: Promise<ShellOutcome> | undefined
  #onSettled: () => void = () => undefined

  constructor(request: ShellRequest, launched: Launched, output: CommandOutput) {
    this.request = request
    this.output = output
    this.#launched = launched
    this.#pipe = new OutputPipe(launched.readEnd, (chunk) => output.take(chunk))
    this.exited = launched.exited
    void this.exited.then(() => {
      this.#hasExited = true
    })
    this.drained = Promise.all([this.exited, this.#pipe.ended])
    this.settled = new Promise((resolve) => {
      this.#onSettled = resolve
    })
  }

  get leader(): number {
    return this.#launched.query.leader
  }

  /** Lets a child that outlives the command print what it has in hand. */
  async drain(): Promise<void> {
    await within(DRAIN_MS, this.drained)
  }

  /** Gives the outcome. Whatever still runs is ended first, the command itself too, unless the rest is to be left. */
  settle(options: SettleOptions = {}): Promise<ShellOutcome> {
    this.#outcome ??= this.#settle(options).finally(this.#onSettled)
    return this.#outcome
  }

  async #settle({ timedOut = false, leaveRest = false }: SettleOptions): Promise<ShellOutcome> {
    const { query, folder, confined, isProgramAlone } = this.#launched
    const hadExited = this.#hasExited
    try {
      const ended = leaveRest ? 0 : await endProcesses(query)
      const seen = (await within(DEATH_MS, this.exited)) ? await this.exited : KILLED
      const exit = hadExited && isProgramAlone ? asShellTells(seen) : seen
      await this.#pipe.finish()
      const output = await this.output.finish()
      return {
        exitCode: exit.code,
        signal: exit.signal,
        timedOut,
        cwd: folder === undefined ? this.request.cwd : readFolderReport(folder, this.request.cwd),
        output,
        ...(hadExited && ended > 0 && { leftRunning: ended }),
        confinement: confined.confinement,
        refusals: confined.explain({ output: output.text, exitCode: exit.code }),
      }
    } finally {
      closeAll(folder)
      await confined.release?.()
    }
  }

  /** Whether something that it started still runs. */
  async leavesRest(): Promise<boolean> {
    return (await findClearly(this.#launched.query)).length > 0
  }

  /** What is known while it goes on. */
  outcomeSoFar(): ShellOutcome {
    const { cwd } = this.request
    const { confinement } = this.#launched.confined
    const output = this.output.takeUnseen()
    return { exitCode: null, signal: null, timedOut: true, cwd, output, confinement, refusals: [] }
  }
}

/** A shell gives the end of its program by a signal as a number, and so does what took its place. */
function asShellTells({ code, signal }: Exit): Exit {
  const number = signal === null ? undefined : constants.signals[signal]
  return number === undefined ? { code, signal } : { code: 128 + number, signal: null }
}
