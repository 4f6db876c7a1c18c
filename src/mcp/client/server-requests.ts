import type { Elicitation, ElicitationAnswer } from '../../contract/ports/ask.js'

export interface SamplingRequest {
  readonly serverName: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
  readonly systemPrompt?: string
  readonly maxTokens: number
}

export interface SamplingAnswer {
  readonly text: string
  readonly model: string
}

export interface ServerLogEntry {
  readonly serverName: string
  readonly level: string
  readonly logger?: string
  readonly data: unknown
}

/** What servers may ask of their client. What is left out is not offered to them. */
export interface ServerRequests {
  /** The folders that the user works in. */
  roots?(): readonly string[]
  elicit?(elicitation: Elicitation, options: { readonly signal: AbortSignal }): Promise<ElicitationAnswer>
  /** Rejects where nobody allowed it. */
  sample?(request: SamplingRequest, options: { readonly signal: AbortSignal }): Promise<SamplingAnswer>
  onLog?(entry: ServerLogEntry): void
}
