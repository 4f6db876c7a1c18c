import type { StyledText } from './styled-text.js'

/** The environment of a command. The entry point creates it; tests can replace it. */
export interface CommandIo {
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly platform: string
  /** The home folder of the user; undefined if there is none. */
  readonly homeDir: string | undefined
  /** Whether standard input and output are a terminal. */
  readonly isTerminal: boolean
  /** The width of the terminal; undefined if the output is not a terminal. */
  readonly columns: number | undefined
  /** Writes to standard output. Control characters are escaped, as in everything that a command writes. */
  out(text: string | StyledText): void
  err(text: string): void
  host(): Promise<CommandHost>
}

/** Runs a command and returns its exit code. */
type RunCommand = (io: CommandIo) => number | Promise<number>

/** What `haft COMMAND --help` shows. */
export interface CommandHelp {
  readonly summary: string
  readonly usage: readonly string[]
  readonly examples?: readonly string[]
}

/** A row in the table of commands. The code of a command is loaded when the command runs. */
export interface Command {
  readonly name: string
  /** Loads the texts of the command. */
  help(): Promise<CommandHelp>
  load(): Promise<RunCommand>
}

/** Process features that only some commands need. Loaded on first use. */
export interface CommandHost {
  readonly cwd: string
  readonly homeDir: string
  readonly isRoot: boolean
  /** Whether standard input and standard error are a terminal, so that questions can be asked. */
  readonly isInteractive: boolean
  /** Whether standard error is a terminal, so that progress can be shown. */
  readonly hasErrorTerminal: boolean
  /** Whether standard input is a file, a pipe or a socket. */
  readonly hasPipedInput: boolean
  /** Returns standard input as a stream of chunks. May be called only once. */
  input(): AsyncIterable<Uint8Array>
  /** Writes to standard output. Resolves when the stream accepts more, or at once if the reader has closed it. */
  write(text: string): Promise<void>
  /** Prompts the user for a line; undefined at the end of the input. */
  readLine(prompt: string, options?: { readonly signal?: AbortSignal }): Promise<string | undefined>
  /** Opens a page in the user's browser, if there is one. */
  openBrowser(url: string): Promise<void>
  /**
   * Aborts on a termination signal or when the reader of the output has closed it.
   * After this call, signals no longer end the process: the command has to return.
   */
  interruption(): Interruption
}

export interface Interruption {
  readonly signal: AbortSignal
  /** The exit code for the reason of the abort; undefined if not aborted. */
  readonly exitCode: number | undefined
}
