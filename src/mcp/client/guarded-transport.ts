import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { isRecord } from '../../shared/is-record.js'
import { isDoneWithin } from '../../shared/waiting.js'
import { NotificationBudget, PROGRESS_LIMITS, RateLimiter } from './message-budget.js'

/**
 * The key under which the list removed from a result is stored. A value that the server sends under this key is
 * overwritten or dropped.
 */
export const ENTRIES_KEY = 'haft/entries'

/**
 * Lists that are validated entry by entry. The SDK's schemas would reject the whole list because of one bad entry, or overflow
 * the stack on a deep one.
 */
const LIST_FIELDS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
  'tools/call': 'content',
  'tasks/result': 'content',
  'resources/read': 'contents',
  'prompts/get': 'messages',
}

/** Short, because a server that does not respond must not delay `close`. */
const END_SESSION_TIMEOUT_MS = 1_000

interface PendingRequest {
  readonly method: string
  readonly reports: RateLimiter
  isCancelled: boolean
}

/** The JSON-RPC error code with which a malformed response is reported. */
const INVALID_RESPONSE = -32_600

/**
 * Wraps a transport for the SDK: drops responses that match no request, replaces malformed ones by errors, limits notifications,
 * and hides lists from the SDK's schemas.
 */
export class GuardedTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly hasPerRequestStream?: boolean
  unmatchedResponses = 0
  readonly #innerTransport: Transport
  /** The pending requests. Ids are compared strictly: a response with the id "1" does not answer the request 1. */
  readonly #pending = new Map<unknown, PendingRequest>()
  readonly #budget = new NotificationBudget((message) => this.onmessage?.(message as JSONRPCMessage))

  constructor(innerTransport: Transport) {
    this.#innerTransport = innerTransport
    if (innerTransport.hasPerRequestStream === true) this.hasPerRequestStream = true
    // The SDK recognises a stdio transport by these two members.
    if ('pid' in innerTransport && 'stderr' in innerTransport)
      Object.assign(this, { pid: innerTransport.pid, stderr: innerTransport.stderr })
    innerTransport.onclose = () => {
      this.#budget.close()
      this.onclose?.()
    }
    innerTransport.onerror = (error) => this.onerror?.(error)
    innerTransport.onmessage = (message, extra) => {
      const filteredMessage = this.#filter(message)
      if (filteredMessage === undefined) return
      if ('method' in filteredMessage) this.onmessage?.(filteredMessage, extra)
      else queueMicrotask(() => this.#deliverResponse(filteredMessage, extra))
    }
  }

  get sessionId(): string | undefined {
    return this.#innerTransport.sessionId
  }

  start(): Promise<void> {
    return this.#innerTransport.start()
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: { requestId?: unknown } }
    const isRequest = typeof method === 'string' && id !== undefined
    if (isRequest) this.#pending.set(id, { method, reports: new RateLimiter(PROGRESS_LIMITS), isCancelled: false })
    if (method === 'notifications/cancelled') this.#markCancelled(params?.requestId)
    options?.requestSignal?.addEventListener('abort', () => this.#markCancelled(id), { once: true })
    if (!isRequest) return this.#innerTransport.send(message, options)
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.()
      this.#failPending(id, 'the server ended the response without a result')
    }
    return this.#innerTransport.send(message, { ...options, onRequestStreamEnd })
  }

  close(): Promise<void> {
    return this.#innerTransport.close()
  }

  /** Ends the session of an HTTP server. Failures are ignored. */
  async endSession(): Promise<void> {
    const innerTransport = this.#innerTransport as { terminateSession?(): Promise<void> }
    if (this.sessionId === undefined || innerTransport.terminateSession === undefined) return
    await isDoneWithin(
      END_SESSION_TIMEOUT_MS,
      innerTransport.terminateSession().catch(() => {}),
    )
  }

  setProtocolVersion(version: string): void {
    this.#innerTransport.setProtocolVersion?.(version)
  }

  /**
   * Delivers a response one microtask after it arrived. The SDK handles notifications in a microtask, but removes the
   * progress handler of a request at once when its response arrives, so progress in the same chunk would be lost.
   */
  #deliverResponse(response: JSONRPCMessage, extra?: Parameters<NonNullable<Transport['onmessage']>>[1]): void {
    try {
      this.onmessage?.(response, extra)
    } catch (error) {
      // A response that cannot be processed, for example because it is nested too deeply, is dropped.
      this.onerror?.(error as Error)
    }
  }

  #markCancelled(id: unknown): void {
    const pendingRequest = this.#pending.get(id)
    if (pendingRequest !== undefined) pendingRequest.isCancelled = true
  }

  /** Ends a request that the server can no longer answer. */
  #failPending(id: unknown, problem: string): void {
    const pendingRequest = this.#pending.get(id)
    if (pendingRequest === undefined || pendingRequest.isCancelled) return
    // Only requests have a stream of their own. A subscription handles its end itself.
    if (pendingRequest.method === 'subscriptions/listen') return
    this.#pending.delete(id)
    this.#deliverResponse(createErrorResponse(id, problem))
  }

  #filter<M extends JSONRPCMessage>(message: M): JSONRPCMessage | undefined {
    if ('method' in message) return this.#admitIncoming(message) ? message : undefined
    const { id } = message as { id?: unknown }
    const pendingRequest = this.#pending.get(id)
    this.#pending.delete(id)
    if (pendingRequest === undefined) this.unmatchedResponses++
    if (pendingRequest === undefined || pendingRequest.isCancelled) return undefined
    const problem = findResponseProblem(message)
    if (problem !== undefined) return createErrorResponse(id, problem)
    const field = LIST_FIELDS[pendingRequest.method]
    if (field === undefined || !('result' in message) || !isRecord(message.result)) return message
    const { [ENTRIES_KEY]: _, ...result } = message.result
    const entries = result[field]
    if (entries === undefined && !pendingRequest.method.endsWith('/list'))
      return { ...message, result } as JSONRPCMessage
    if (!Array.isArray(entries)) return createErrorResponse(id, `"result.${field}" is not a list`)
    return { ...message, result: { ...result, [field]: [], [ENTRIES_KEY]: entries } } as JSONRPCMessage
  }

  /** Whether a notification or request of the server is within the limits. */
  #admitIncoming(message: { readonly method: string; readonly id?: unknown; readonly params?: unknown }): boolean {
    if (message.id !== undefined) return true
    if (message.method !== 'notifications/progress') return this.#budget.admit(message)
    const token = isRecord(message.params) ? message.params.progressToken : undefined
    return this.#pending.get(token)?.reports.take() === true
  }
}

/** Describes why a response is malformed; undefined if it is not. */
function findResponseProblem(response: object): string | undefined {
  const { result, error } = response as { result?: unknown; error?: unknown }
  if (result !== undefined && error !== undefined) return 'it has both a result and an error'
  if (error !== undefined) {
    const isValid = isRecord(error) && Number.isInteger(error.code) && typeof error.message === 'string'
    return isValid ? undefined : '"error" is not an object with a code and a message'
  }
  if (result === undefined) return 'it has neither a result nor an error'
  return isRecord(result) ? undefined : `"result" is ${describeKind(result)} instead of an object`
}

function describeKind(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function createErrorResponse(id: unknown, problem: string): JSONRPCMessage {
  const error = { code: INVALID_RESPONSE, message: `malformed response: ${problem}` }
  return { jsonrpc: '2.0', id, error } as JSONRPCMessage
}
