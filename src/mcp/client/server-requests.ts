import { pathToFileURL } from 'node:url'
import type { Client, ClientCapabilities, CreateMessageRequest, ElicitRequest } from '@modelcontextprotocol/client'
import type { Elicitation, ElicitationAnswer } from '../../contract/ports/ask.js'
import type { JsonSchema } from '../../contract/schema.js'
import { isRecord } from '../../shared/is-record.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { type Exchange, type ExchangeClient, type InputRequest, isWebUrl, type OpenExchanges } from './exchange.js'

/** A server's request for an answer of the model (`sampling/createMessage`). */
export interface SamplingRequest {
  readonly serverName: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
  readonly systemPrompt?: string
  readonly maxTokens: number
}

/** The model's answer to a sampling request. */
export interface SamplingAnswer {
  readonly text: string
  readonly model: string
}

/** A log message that a server sent (`notifications/message`). */
export interface ServerLogEntry {
  readonly serverName: string
  readonly level: string
  readonly logger?: string
  readonly data: unknown
}

/** Handlers for requests and notifications of servers. A capability without a handler is not announced. */
export interface ServerRequests {
  /** The working folders of the user. */
  roots?(): readonly string[]
  elicit?(elicitation: Elicitation, options: { readonly signal: AbortSignal }): Promise<ElicitationAnswer>
  /** Must reject if sampling is not allowed. */
  sample?(request: SamplingRequest, options: { readonly signal: AbortSignal }): Promise<SamplingAnswer>
  onLog?(entry: ServerLogEntry, exchange?: Exchange): void
  /**
   * Replaces `roots`, `elicit` and `sample`: receives the unchanged request with its exchange, and returns the result
   * for the server.
   */
  forward?(request: ForwardedRequest, options: { readonly signal: AbortSignal }): Promise<Record<string, unknown>>
  onResourceUpdated?(update: { readonly serverName: string; readonly uri: string }): void
}

export interface ForwardedRequest extends InputRequest {
  readonly serverName: string
  readonly exchange: Exchange | undefined
  /** The client that the session with the server is reserved for, if any. It may not be waiting for the server. */
  readonly client: ExchangeClient | undefined
}

/** Returns the client capabilities to announce to a server. */
export function getClientCapabilities(requests: ServerRequests): ClientCapabilities {
  if (requests.forward !== undefined)
    return { roots: { listChanged: true }, elicitation: { form: {}, url: {} }, sampling: {} }
  return {
    ...(requests.roots !== undefined && { roots: { listChanged: true } }),
    ...(requests.elicit !== undefined && { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(requests.sample !== undefined && { sampling: {} }),
  }
}

/**
 * Registers the handlers on the SDK client. `pauseTimeouts` runs work that waits for a person or a model, so that this time
 * does not count towards timeouts.
 */
export function registerHandlers(
  client: Client,
  serverName: string,
  requests: ServerRequests,
  pauseTimeouts: <T>(work: () => Promise<T>) => Promise<T>,
  exchanges: OpenExchanges,
): void {
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const entry = { serverName, level, data, ...(logger !== undefined && { logger }) }
    requests.onLog?.(entry, exchanges.current)
  })
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    requests.onResourceUpdated?.({ serverName, uri })
  })
  if (requests.forward === undefined) registerAnswers(client, serverName, requests, pauseTimeouts)
  else registerForwarding(client, serverName, requests.forward.bind(requests), pauseTimeouts, exchanges)
}

const FORWARDED_METHODS = ['roots/list', 'elicitation/create', 'sampling/createMessage'] as const

function registerForwarding(
  client: Client,
  serverName: string,
  forward: NonNullable<ServerRequests['forward']>,
  pauseTimeouts: <T>(work: () => Promise<T>) => Promise<T>,
  exchanges: OpenExchanges,
): void {
  for (const method of FORWARDED_METHODS) {
    client.setRequestHandler(method, async ({ params }, { mcpReq: { signal } }) => {
      const { current: exchange, owner: client } = exchanges
      if (exchange === undefined && exchanges.hasSeveralClients) exchanges.wasAmbiguous = true
      const request = { serverName, method, exchange, client, ...(params !== undefined && { params }) }
      // The server validates the result.
      return (await pauseTimeouts(() => forward(request, { signal }))) as never
    })
  }
}

function registerAnswers(
  client: Client,
  serverName: string,
  requests: ServerRequests,
  pauseTimeouts: <T>(work: () => Promise<T>) => Promise<T>,
): void {
  const { roots, elicit, sample } = requests
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', async () => ({
      roots: roots.call(requests).map((path) => ({ uri: pathToFileURL(path).href, name: path })),
    }))
  }
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      const elicitation = readElicitation(serverName, params)
      if (elicitation === undefined) return { action: 'decline' as const }
      const answer = await pauseTimeouts(() => elicit.call(requests, elicitation, { signal: mcpReq.signal }))
      if (answer.action !== 'accept') return { action: answer.action }
      return { action: 'accept' as const, ...(answer.content !== undefined && { content: answer.content as Content }) }
    })
  }
  if (sample !== undefined) {
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const request = readSampling(serverName, params)
      const { text, model } = await pauseTimeouts(() => sample.call(requests, request, { signal: mcpReq.signal }))
      return { role: 'assistant' as const, model, content: { type: 'text' as const, text }, stopReason: 'endTurn' }
    })
  }
}

type Content = Record<string, string | number | boolean | string[]>

/** Reads an elicitation. Returns undefined if it must not be shown, because its URL is not an http or https URL. */
function readElicitation(serverName: string, params: ElicitRequest['params']): Elicitation | undefined {
  const message = toPlainOutput(params.message)
  if (!('url' in params) || params.url === undefined) {
    const schema = 'requestedSchema' in params ? params.requestedSchema : undefined
    return { serverName, message, ...(isRecord(schema) && { schema: cleanLabels(schema) }) }
  }
  return isWebUrl(params.url) ? { serverName, message, url: params.url } : undefined
}

/** Removes control characters from the titles and descriptions of a form. The values stay unchanged. */
function cleanLabels(schema: JsonSchema): JsonSchema {
  const labels: ReadonlySet<string> = new Set(['title', 'description'])
  const text = JSON.stringify(schema, (key, value: unknown) =>
    labels.has(key) && typeof value === 'string' ? toPlainOutput(value) : value,
  )
  return JSON.parse(text)
}

function readSampling(serverName: string, params: CreateMessageRequest['params']): SamplingRequest {
  const messages = params.messages.map(({ role, content }) => ({
    role,
    text: (Array.isArray(content) ? content : [content]).map(getText).join('\n'),
  }))
  const { systemPrompt, maxTokens } = params
  return { serverName, messages, maxTokens, ...(systemPrompt !== undefined && { systemPrompt }) }
}

function getText(content: { readonly type: string }): string {
  if ('text' in content && typeof content.text === 'string') return content.text
  throw new Error(`Sampling supports only text; content of type ${content.type} cannot be passed to the model.`)
}
