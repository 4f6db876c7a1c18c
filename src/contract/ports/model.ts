/** Sends a single prompt to a model, outside the conversation. */
export interface ModelPort {
  complete(request: {
    readonly prompt: string
    readonly system?: string
    readonly model?: string
    readonly maxTokens?: number
    /** Rejects if the answer is incomplete: truncated, or a refusal. */
    readonly requiresCompleteAnswer?: boolean
    readonly signal?: AbortSignal
  }): Promise<string>
}
