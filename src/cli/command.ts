import type { CommandHost } from './command-host.js'

/** What a command can reach of the world; the entry point hands it in, so that tests can look on. */
export interface CommandIo {
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly platform: string
  /** Undefined where the user has none. */
  readonly homeDir: string | undefined
  /** Undefined where the output is no terminal. */
  readonly columns: number | undefined
  out(text: string): void
  err(text: string): void
  host(): Promise<CommandHost>
}

/** Runs a command and gives its exit code. */
type RunCommand = (io: CommandIo) => number | Promise<number>

/** A line of the table of commands; its code is loaded only when it is called. */
export interface Command {
  readonly name: string
  /** Loaded when asked for, where it is long: the table is part of every start. */
  readonly usage: readonly string[] | (() => Promise<readonly string[]>)
  readonly summary: string
  load(): Promise<RunCommand>
}
