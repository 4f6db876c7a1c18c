import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { isRecord } from '../../shared/is-record.js'
import { isDoneWithin } from '../../shared/waiting.js'

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

/** Wraps a transport for the SDK: drops responses that match no request, and hides lists from the SDK's schemas. */
export class GuardedTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly hasPerRequestStream?: boolean
  unmatchedResponses = 0
  readonly #innerTransport: Transport
  /** The method of each pending request; null if it was cancelled. */
  readonly #pending = new Map<string, string | null>()

  constructor(innerTransport: Transport) {
    this.#innerTransport = innerTransport
    if (innerTransport.hasPerRequestStream === true) this.hasPerRequestStream = true
    // The SDK recognises a stdio transport by these two members.
    if ('pid' in innerTransport && 'stderr' in innerTransport)
      Object.assign(this, { pid: innerTransport.pid, stderr: innerTransport.stderr })
    innerTransport.onclose = () => this.onclose?.()
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
    if (typeof method === 'string' && id !== undefined) this.#pending.set(String(id), method)
    if (method === 'notifications/cancelled') this.#markCancelled(params?.requestId)
    options?.requestSignal?.addEventListener('abort', () => this.#markCancelled(id), { once: true })
    return this.#innerTransport.send(message, options)
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
  #deliverResponse(...[response, extra]: Parameters<NonNullable<Transport['onmessage']>>): void {
    try {
      this.onmessage?.(response, extra)
    } catch (error) {
      // A response that cannot be processed, for example because it is nested too deeply, is dropped.
      this.onerror?.(error as Error)
    }
  }

  #markCancelled(id: unknown): void {
    if (this.#pending.has(String(id))) this.#pending.set(String(id), null)
  }

  #filter<M extends JSONRPCMessage>(message: M): M | undefined {
    if ('method' in message) return message
    const id = String((message as { id?: unknown }).id)
    const method = this.#pending.get(id)
    this.#pending.delete(id)
    if (method === undefined) this.unmatchedResponses++
    if (method === undefined || method === null) return undefined
    const field = LIST_FIELDS[method]
    if (field === undefined || !('result' in message) || !isRecord(message.result)) return message
    const { [ENTRIES_KEY]: _, ...result } = message.result
    const entries = result[field]
    if (!Array.isArray(entries)) return { ...message, result }
    return { ...message, result: { ...result, [field]: [], [ENTRIES_KEY]: entries } }
  }
}
