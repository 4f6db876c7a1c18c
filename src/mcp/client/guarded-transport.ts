import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { isRecord } from '../../shared/is-record.js'

/** Where a result carries what was taken out of it; whatever a server puts there is overwritten or dropped. */
export const ENTRIES = 'haft/entries'

/** The lists that are read entry by entry: the SDK's schemas would lose a whole list for one bad entry, or overflow on a deep one. */
const LIST_OF_METHOD: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
  'tools/call': 'content',
  'tasks/result': 'content',
  'resources/read': 'contents',
  'prompts/get': 'messages',
}

/** How long a server may take to hear that its session is over. */
const FAREWELL_MS = 1_000

/** Stands between the SDK and a channel: only answers to what was asked get through, and lists are kept from its schemas. */
export class GuardedTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>
  readonly hasPerRequestStream?: boolean
  /** How many answers came to questions that nobody asked. */
  strayAnswers = 0
  readonly #inner: Transport
  /** The method of each request under way; null where it was called off. */
  readonly #asked = new Map<string, string | null>()

  constructor(inner: Transport) {
    this.#inner = inner
    if (inner.hasPerRequestStream === true) this.hasPerRequestStream = true
    // By these two the SDK tells a pipe from HTTP.
    if ('pid' in inner && 'stderr' in inner) Object.assign(this, { pid: inner.pid, stderr: inner.stderr })
    inner.onclose = () => this.onclose?.()
    inner.onerror = (error) => this.onerror?.(error)
    inner.onmessage = (message, extra) => {
      const taken = this.#take(message)
      if (taken !== undefined) this.onmessage?.(taken, extra)
    }
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId
  }

  start(): Promise<void> {
    return this.#inner.start()
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: { requestId?: unknown } }
    if (typeof method === 'string' && id !== undefined) this.#asked.set(String(id), method)
    if (method === 'notifications/cancelled') this.#callOff(params?.requestId)
    options?.requestSignal?.addEventListener('abort', () => this.#callOff(id), { once: true })
    return this.#inner.send(message, options)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /** Tells an HTTP server that its session is over; whether it hears it is its own affair. */
  async endSession(): Promise<void> {
    const inner = this.#inner as { terminateSession?(): Promise<void> }
    if (this.sessionId === undefined || inner.terminateSession === undefined) return
    const patience = new Promise<void>((resolve) => setTimeout(resolve, FAREWELL_MS).unref())
    await Promise.race([inner.terminateSession().catch(() => {}), patience])
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version)
  }

  #callOff(id: unknown): void {
    if (this.#asked.has(String(id))) this.#asked.set(String(id), null)
  }

  #take<M extends JSONRPCMessage>(message: M): M | undefined {
    if ('method' in message) return message
    const id = String((message as { id?: unknown }).id)
    const method = this.#asked.get(id)
    this.#asked.delete(id)
    if (method === undefined) this.strayAnswers++
    if (method === undefined || method === null) return undefined
    const field = LIST_OF_METHOD[method]
    if (field === undefined || !('result' in message) || !isRecord(message.result)) return message
    const { [ENTRIES]: _, ...result } = message.result
    const entries = result[field]
    if (!Array.isArray(entries)) return { ...message, result }
    return { ...message, result: { ...result, [field]: [], [ENTRIES]: entries } }
  }
}
