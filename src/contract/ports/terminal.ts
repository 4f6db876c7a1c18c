export interface TerminalSession {
  readonly id: string
  send(keys: string): Promise<void>
  screen(): Promise<string>
  waitFor(
    text: string | RegExp,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<boolean>
  close(): Promise<void>
}

/** Interactive programs in a pseudo-terminal. */
export interface TerminalPort {
  open(
    command: string,
    options: { readonly cwd: string; readonly columns?: number; readonly rows?: number },
  ): Promise<TerminalSession>
  get(id: string): TerminalSession | undefined
}
