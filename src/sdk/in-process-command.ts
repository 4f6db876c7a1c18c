import { resolve } from 'node:path'
import { BoundedQueue } from '../cli/io/bounded-queue.js'
import type { CommandHost, CommandIo } from '../cli/io/command.js'
import { EXIT } from '../cli/io/exit.js'
import { findHomeFolder } from '../cli/io/home-folder.js'

/** The command waits when so many lines have not been read. */
const MAX_UNREAD_LINES = 1_000

export interface InProcessOptions {
  readonly args: readonly string[]
  readonly cwd?: string | undefined
  /** The variables of the command and of the programs that it starts. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly signal: AbortSignal
  /** Called with warnings, one line each. */
  readonly onError: (text: string) => void
}

/** Standard input and output of a command that runs in this process. */
export class InProcessCommand {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly #input = new BoundedQueue<string>(Number.POSITIVE_INFINITY)
  readonly #output = new BoundedQueue<object>(MAX_UNREAD_LINES)

  constructor({ args, cwd = '.', env = process.env, signal, onError }: InProcessOptions) {
    // A copy, so that the command does not take this process for its own and hide its variables.
    const variables = { ...env }
    const homeDir = env.HOME ?? findHomeFolder()
    const folder = resolve(cwd)
    this.host = {
      ...{ cwd: folder, homeDir: homeDir ?? '/', isRoot: process.getuid?.() === 0 },
      ...{ isInteractive: false, hasErrorTerminal: false, hasPipedInput: true },
      input: () => this.#readInput(),
      write: (text) => this.#output.push(JSON.parse(text) as object),
      readLine: async () => undefined,
      openBrowser: async () => {},
      interruption: () => ({
        signal,
        get exitCode() {
          return signal.aborted ? EXIT.interrupted : undefined
        },
      }),
    }
    this.io = {
      ...{ args, variables, platform: process.platform, homeDir, isTerminal: false, columns: undefined },
      out: () => {},
      err: onError,
      host: async () => this.host,
    }
  }

  /** Sends a line to the command. */
  send(line: object): void {
    void this.#input.push(`${JSON.stringify(line)}\n`)
  }

  closeInput(): void {
    this.#input.close()
  }

  /** The lines that the command writes. */
  get lines(): AsyncIterable<object> {
    return this.#output
  }

  closeOutput(): void {
    this.#output.close()
  }

  async *#readInput(): AsyncGenerator<Uint8Array, void> {
    for await (const line of this.#input) yield Buffer.from(line)
  }
}
