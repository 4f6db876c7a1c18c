/** A program in a pseudo-terminal. */
export interface TerminalSession {
  readonly id: string
  send(keys: string): Promise<void>
  /** Returns the visible screen, without trailing spaces. */
  screen(): Promise<TerminalScreen>
  /** Resolves to false if the timeout passed or the program ended before the text appeared. */
  waitFor(
    text: string | RegExp,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<boolean>
  /** Kills the program and all its child processes. */
  close(): Promise<void>
}

/** The visible content of a terminal. */
export interface TerminalScreen {
  readonly text: string
  readonly cursor: { readonly row: number; readonly column: number }
  /** Set once the program has ended. */
  readonly exit?: { readonly exitCode: number; readonly signal?: number }
}

/** Runs interactive programs in pseudo-terminals. */
export interface TerminalPort {
  open(
    command: string,
    options: { readonly cwd: string; readonly columns?: number; readonly rows?: number },
  ): Promise<TerminalSession>
  get(id: string): TerminalSession | undefined
  list(): readonly { readonly id: string; readonly command: string }[]
}
