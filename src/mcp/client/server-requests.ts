import type { Elicitation, ElicitationAnswer } from '../../contract/ports/ask.js'
import type { Exchange, InputRequest } from './exchange.js'

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
  onLog?(entry: ServerLogEntry, exchange?: Exchange): void
  /** Takes the place of the three above: what a server asks as it wrote it, and the exchange that it asks in. Gives the result as the server gets it. */
  forward?(request: ForwardedRequest, options: { readonly signal: AbortSignal }): Promise<Record<string, unknown>>
  onResourceUpdated?(update: { readonly serverName: string; readonly uri: string }): void
}

export interface ForwardedRequest extends InputRequest {
  readonly serverName: string
  readonly exchange: Exchange | undefined
}
