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

/** Sends requests to the Messages API. */
export interface AnthropicClient {
  /** Returns the events of the answer. */
  send(request: AnthropicRequest, signal: AbortSignal): Promise<AsyncIterable<unknown>>
  /** Returns what the endpoint that counts tokens answers. */
  count(request: AnthropicRequest, signal: AbortSignal): Promise<unknown>
  /** Returns the whole answer to a request that is not part of a conversation. */
  post(body: object, signal: AbortSignal): Promise<unknown>
}

/**
 * Creates a client that uses the official SDK. Only its base class is used, which sends requests and reads the stream; the
 * classes for other parts of the API are not in the bundle.
 */
export function openAnthropicClient(options: AnthropicClientOptions): AnthropicClient {
  const client = new Client({
    // Set even if null, because the SDK would read missing options from the environment and from files.
    apiKey: options.apiKey ?? null,
    authToken: options.apiKey === undefined ? (options.authToken ?? null) : null,
    baseURL: options.baseUrl ?? DEFAULT_BASE_URL,
    defaultHeaders: { ...(hasKey(options) ? {} : { Authorization: null }), ...options.headers },
    fetch: options.fetch,
    timeout: options.timeoutMs,
    maxRetries: 0,
    // The SDK would log events that it cannot parse to the console.
    logLevel: 'off',
    openTelemetry: false,
  })
  // The body is already serialised, and the SDK sends bytes unchanged.
  const toOptions = ({ body, betas }: AnthropicRequest, signal: AbortSignal) => ({
    body,
    headers: {
      'content-type': 'application/json',
      ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    },
    signal,
  })
  return {
    send: async (request, signal) =>
      client.post<AsyncIterable<unknown>>('/v1/messages', { ...toOptions(request, signal), stream: true }),
    count: async (request, signal) => client.post<unknown>('/v1/messages/count_tokens', toOptions(request, signal)),
    post: async (body, signal) => client.post<unknown>('/v1/messages', { body, signal }),
  }
}

class Client extends BaseAnthropic {
  /** Always false: credentials from a profile on this machine must not be sent to the configured server. */
  protected override _shouldResolveDefaultCredentials(): boolean {
    return false
  }
}

function hasKey({ apiKey, authToken }: AnthropicClientOptions): boolean {
  return apiKey !== undefined || authToken !== undefined
}
