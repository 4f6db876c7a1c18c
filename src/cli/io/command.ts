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

/** What commands that run or judge calls need beside `CommandIo`. Loaded when first asked for: most commands never do. */
export interface CommandHost {
  readonly cwd: string
  readonly homeDir: string
  readonly isRoot: boolean
  /** Whether a person reads what goes to the error stream and can type an answer. */
  readonly isInteractive: boolean
  /** Whether standard input is a file or a pipe: something may come by it that no person types. */
  readonly hasPipedInput: boolean
  /** Standard input as it comes; to be asked for once. */
  input(): AsyncIterable<Uint8Array>
  /** Writes to standard output and resolves when more is wanted; at once where the reader has gone. */
  write(text: string): Promise<void>
  /** Asks the person for a line; undefined where none comes any more. */
  readLine(prompt: string, options?: { readonly signal?: AbortSignal }): Promise<string | undefined>
  /** Shows a page in the person's browser, where there is one. */
  openBrowser(url: string): Promise<void>
  /**
   * Aborts when the process is told to end, or when nobody reads the output any more.
   * Who asks for it takes over: the process then ends only when the command has.
   */
  interruption(): Interruption
}

export interface Interruption {
  readonly signal: AbortSignal
  /** The exit code that the reason for the abort calls for; undefined while there is none. */
  readonly exitCode: number | undefined
}
