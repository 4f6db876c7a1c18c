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
