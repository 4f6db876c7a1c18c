import { BaseAnthropic } from '@anthropic-ai/sdk'
import type { Fetch } from '../http/http-fetch.js'
import type { AnthropicRequest } from './anthropic-request.js'

const DEFAULT_BASE_URL = 'https://api.anthropic.com'

export interface AnthropicClientOptions {
  readonly apiKey?: string
  readonly authToken?: string
  readonly baseUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch: Fetch
  readonly timeoutMs: number
}

export type SendAnthropic = (request: AnthropicRequest, signal: AbortSignal) => Promise<AsyncIterable<unknown>>

/**
 * The official SDK, cut down to one call: the base class knows how to send and to read a stream,
 * and the resources for everything else stay out of the bundle.
 */
export function openAnthropicClient(options: AnthropicClientOptions): SendAnthropic {
  const client = new Client({
    // All of these are said, or the SDK would look for its own in the environment and in files.
    apiKey: options.apiKey ?? null,
    authToken: options.apiKey === undefined ? (options.authToken ?? null) : null,
    baseURL: options.baseUrl ?? DEFAULT_BASE_URL,
    defaultHeaders: { ...(hasKey(options) ? {} : { Authorization: null }), ...options.headers },
    fetch: options.fetch,
    timeout: options.timeoutMs,
    maxRetries: 0,
    // The SDK would write events that it cannot read to the console.
    logLevel: 'off',
    openTelemetry: false,
  })
  return async ({ body, betas }, signal) => {
    // It is written already; the SDK leaves bytes as they are.
    const headers = {
      'content-type': 'application/json',
      ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    }
    return client.post<AsyncIterable<unknown>>('/v1/messages', { body, headers, signal, stream: true })
  }
}

class Client extends BaseAnthropic {
  /** Keys of a profile on this machine are not for whatever server was configured here. */
  protected override _shouldResolveDefaultCredentials(): boolean {
    return false
  }
}

function hasKey({ apiKey, authToken }: AnthropicClientOptions): boolean {
  return apiKey !== undefined || authToken !== undefined
}
