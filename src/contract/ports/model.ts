/** A small question to a model, outside the conversation. */
export interface ModelPort {
  complete(request: {
    readonly prompt: string
    readonly system?: string
    readonly model?: string
    readonly maxTokens?: number
    readonly signal?: AbortSignal
  }): Promise<string>
}
