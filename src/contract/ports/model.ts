/** A small question to a model, outside the conversation. */
export interface ModelPort {
  complete(request: {
    readonly prompt: string
    readonly system?: string
    readonly model?: string
    readonly maxTokens?: number
    /** Fails where the model did not come to the end of its answer by itself: it was cut, or it refused. */
    readonly mustBeWhole?: boolean
    readonly signal?: AbortSignal
  }): Promise<string>
}
