export interface ShellRequest {
  readonly command: string
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly sandbox?: boolean
}

export interface ShellOutcome {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly timedOut: boolean
  readonly cwd: string
}

/** Runs commands; output arrives in pieces, so that no size of it can fill the memory. */
export interface ShellPort {
  run(
    request: ShellRequest,
    options: {
      readonly signal: AbortSignal
      readonly onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
    },
  ): Promise<ShellOutcome>
  /** Starts a command that outlives the call; the id is one of the tasks port. */
  start(request: ShellRequest): Promise<{ readonly taskId: string }>
}
