import { readSync } from 'node:fs'
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net'
import type { ShellOutcome, ShellRequest } from '../../contract/ports/shell.js'
import { isDoneWithin } from '../../shared/waiting.js'
import { closeAll, readFolderReport } from './command-files.js'
import type { CommandOutput } from './command-output.js'
import type { Exit, LaunchedCommand } from './launch-command.js'

const BUFFER_BYTES = 64 * 1024
/** How much `finish` reads: at least the capacity of a pipe, but not all output of a process that prints endlessly. */
const MAX_REMAINING_BYTES = 1024 * 1024

/** Receives one chunk at a time. When the promise resolves, the next chunk is read into the same memory. */
export type TakeChunk = (chunk: Uint8Array) => Promise<void>

/** Reads a pipe through a single buffer. The next chunk is read only after the previous one was accepted. */
export class OutputPipe {
  /** Resolves when every writer has closed the pipe and everything was passed on, or when the pipe was closed here. */
  readonly ended: Promise<void>
  readonly #descriptor: number
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  readonly #socket: Socket
  readonly #take: TakeChunk
  #pendingTake: Promise<void> = Promise.resolve()
  #hasEnded = false
  #isFinishing = false

  /** Takes over a non-blocking descriptor and closes it at the end. */
  constructor(descriptor: number, take: TakeChunk) {
    this.#descriptor = descriptor
    this.#take = take
    const options: SocketConstructorOpts & ConnectOpts = {
      fd: descriptor,
      readable: true,
      writable: false,
      onread: { buffer: this.#buffer, callback: (bytes) => this.#onRead(bytes) },
    }
    this.#socket = new Socket(options)
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true
        void this.#pendingTake.then(() => this.#socket.destroy())
      }
      this.#socket.once('end', end)
      // A pipe that can no longer be read counts as ended.
      this.#socket.once('error', end)
      this.#socket.once('close', () => void this.#pendingTake.then(resolve))
    })
    this.#socket.resume()
  }

  /** Reads what is in the pipe now, without waiting for processes that still hold it open, and closes it. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#socket.pause()
    await this.#pendingTake
    for (let takenBytes = 0; !this.#hasEnded && takenBytes < MAX_REMAINING_BYTES; ) {
      const bytes = this.#readNow()
      if (bytes === 0) break
      takenBytes += bytes
      await this.#take(this.#buffer.subarray(0, bytes))
    }
    this.#socket.destroy()
    await this.ended
  }

  #onRead(bytes: number): boolean {
    this.#pendingTake = this.#take(this.#buffer.subarray(0, bytes)).then(() => {
      if (!this.#isFinishing) this.#socket.resume()
    })
    return false
  }

  #readNow(): number {
    try {
      return readSync(this.#descriptor, this.#buffer)
    } catch {
      // EAGAIN means that the pipe is empty but a process still holds it open.
      return 0
    }
  }
}

/** How long to wait for the output of a child that outlives its command, such as the reader in `> >(tee log)`. */
const MAX_DRAIN_MS = 300
/** How long to wait for a killed process, because one that is stuck in the kernel must not block the call. */
const MAX_KILL_WAIT_MS = 1_000
const KILLED_EXIT: Exit = { code: null, signal: 'SIGKILL' }

/** Why the caller no longer waits for a command in the foreground. */
export type RunEnd = 'exited' | 'limit' | 'aborted' | 'filled'

interface SettleOptions {
  readonly timedOut?: boolean
  readonly shouldLeaveProcesses?: boolean
}

/** One command from its start to its outcome. */
export class CommandRun {
  /** Resolves when the command itself has ended. Processes that it started may still run. */
  readonly exited: Promise<Exit>
  /** Resolves when the command has ended and no process holds its output open. */
  readonly drained: Promise<unknown>
  /** Resolves when the outcome is known or cannot be determined. */
  readonly settled: Promise<void>
  readonly request: ShellRequest
  readonly output: CommandOutput
  readonly #launchedCommand: LaunchedCommand
  readonly #pipe: OutputPipe
  #hasExited = false
  #outcome: Promise<ShellOutcome> | undefined
  #onSettled: () => void = () => undefined

  constructor(request: ShellRequest, launchedCommand: LaunchedCommand, output: CommandOutput) {
    this.request = request
    this.output = output
    this.#launchedCommand = launchedCommand
    this.#pipe = new OutputPipe(launchedCommand.readEnd, (chunk) => output.take(chunk))
    this.exited = launchedCommand.exited
    void this.exited.then(() => {
      this.#hasExited = true
    })
    this.drained = Promise.all([this.exited, this.#pipe.ended])
    this.settled = new Promise((resolve) => {
      this.#onSettled = resolve
    })
  }

  /** Waits for the exit, the time limit, an abort or a full output, whichever comes first. */
  waitForFirstEnd(signal: AbortSignal): Promise<RunEnd> {
    const { timeoutMs } = this.request
    return new Promise((resolve) => {
      const end = (runEnd: RunEnd): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        resolve(runEnd)
      }
      const onAbort = (): void => end('aborted')
      const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'limit')
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
      void this.exited.then(() => end('exited'))
      void this.output.filled.then(() => end('filled'))
    })
  }

  /** Gives a child that outlives the command a short time to print the rest of its output. */
  async drain(): Promise<void> {
    await isDoneWithin(MAX_DRAIN_MS, this.drained)
  }

  /** Returns the outcome. Unless `shouldLeaveProcesses` is set, first ends the command and all its processes. */
  settle(options: SettleOptions = {}): Promise<ShellOutcome> {
    this.#outcome ??= this.#settle(options).finally(() => {
      this.#launchedCommand.tree.forget()
      this.#onSettled()
    })
    return this.#outcome
  }

  async #settle({ timedOut = false, shouldLeaveProcesses = false }: SettleOptions): Promise<ShellOutcome> {
    const { tree, folder, confined, requireUnmoved } = this.#launchedCommand
    const hadExited = this.#hasExited
    try {
      const endedCount = shouldLeaveProcesses ? 0 : await tree.end()
      const exit = (await isDoneWithin(MAX_KILL_WAIT_MS, this.exited)) ? await this.exited : KILLED_EXIT
      await this.#pipe.finish()
      const output = await this.output.finish()
      await requireUnmoved?.()
      return {
        exitCode: exit.code,
        signal: exit.signal,
        timedOut,
        cwd: folder === undefined ? this.request.cwd : readFolderReport(folder, this.request.cwd),
        output,
        ...(hadExited && endedCount > 0 && { killedProcessCount: endedCount }),
        confinement: confined.confinement,
        refusals: confined.explain({ output: output.text, exitCode: exit.code }),
      }
    } finally {
      closeAll(folder)
      await confined.release?.()
    }
  }

  hasRunningProcesses(): Promise<boolean> {
    return this.#launchedCommand.tree.isRunning()
  }

  /** Returns the outcome so far of a command that reached its time limit and continues in the background. */
  readCurrentOutcome(): ShellOutcome {
    const { cwd } = this.request
    const { confinement } = this.#launchedCommand.confined
    const output = this.output.takeUnread()
    return { exitCode: null, signal: null, timedOut: true, cwd, output, confinement, refusals: [] }
  }
}
