export interface AgentRequest {
  readonly description: string
  readonly prompt: string
  readonly kind: string
  readonly model?: string
  readonly isolation?: 'worktree'
}

export interface AgentOutcome {
  readonly text: string
  readonly tokens: number
  readonly toolUses: number
}

/** Sub-agents and the mailboxes between named agents. */
export interface AgentsPort {
  run(
    request: AgentRequest,
    options: {
      readonly signal: AbortSignal
      readonly onProgress?: (progress: { readonly toolName: string; readonly tokens: number }) => void
    },
  ): Promise<AgentOutcome>
  start(request: AgentRequest): Promise<{ readonly taskId: string }>
  send(to: string, message: string): Promise<void>
}
