export interface TerminalSession {
  readonly id: string
  send(keys: string): Promise<void>
  /** The screen as a person sees it, without trailing space. */
  screen(): Promise<TerminalScreen>
  /** False where the time is over, or the program ended, before the text showed. */
  waitFor(
    text: string | RegExp,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<boolean>
  /** Ends the program and all that it started. */
  close(): Promise<void>
}

export interface TerminalScreen {
  readonly text: string
  readonly cursor: { readonly row: number; readonly column: number }
  /** Set once the program has ended. */
  readonly exit?: { readonly exitCode: number; readonly signal?: number }
}

/** Interactive programs in a pseudo-terminal. */
export interface TerminalPort {
  open(
    command: string,
    options: { readonly cwd: string; readonly columns?: number; readonly rows?: number },
  ): Promise<TerminalSession>
  get(id: string): TerminalSession | undefined
  list(): readonly { readonly id: string; readonly command: string }[]
}
