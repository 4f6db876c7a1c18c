/** Sends a single prompt to a model, outside the conversation. */
export interface ModelPort {
  complete(request: {
    readonly prompt: string
    readonly system?: string
    readonly model?: string
    readonly maxTokens?: number
    /** Whether to reject an incomplete answer: one that is truncated or a refusal. */
    readonly requiresCompleteAnswer?: boolean
    readonly signal?: AbortSignal
  }): Promise<string>
}
