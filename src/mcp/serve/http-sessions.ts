import { randomUUID } from 'node:crypto'
import { isInitializeRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createLastingServer } from './front-server.js'
import type { Gateway } from './gateway.js'

/** Clients that went away without a word leave their session behind. */
const IDLE_MS = 60 * 60 * 1000
const MOST_SESSIONS = 1_000

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
}

/** Clients of older revisions, which stay in a session over many requests. */
export class HttpSessions {
  readonly #gateway: Gateway
  readonly #sessions = new Map<string, Session>()
  readonly #maxRequestBodySize: number

  constructor(gateway: Gateway, maxRequestBodySize: number) {
    this.#gateway = gateway
    this.#maxRequestBodySize = maxRequestBodySize
  }

  async handle(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = this.#sessions.get(id)
      if (session === undefined) return refusal(404, -32_001, 'There is no such session; begin a new one.')
      session.usedAt = Date.now()
      return session.transport.handleRequest(request)
    }
    const body = request.method === 'POST' ? await parsed(request.clone()) : undefined
    if (!isInitializeRequest(body)) return refusal(400, -32_000, 'A session begins with initialize.')
    return this.#begin(request, body)
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.values(), ({ transport }) => transport.close()))
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    await this.#makeRoom()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: this.#maxRequestBodySize,
      onsessioninitialized: (id) => void this.#sessions.set(id, { transport, usedAt: Date.now() }),
    })
    const server = createLastingServer(this.#gateway)
    const leave = server.onclose
    server.onclose = () => {
      leave?.()
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }

  /** Ends sessions that nobody uses, and the oldest of all where there are too many. */
  async #makeRoom(): Promise<void> {
    const byAge = [...this.#sessions.values()].sort((a, b) => a.usedAt - b.usedAt)
    const surplus = this.#sessions.size - MOST_SESSIONS + 1
    const ended = byAge.filter(({ usedAt }, at) => at < surplus || usedAt < Date.now() - IDLE_MS)
    await Promise.all(ended.map(({ transport }) => transport.close()))
  }
}

async function parsed(request: Request): Promise<unknown> {
  try {
    return await request.json()
  } catch {
    // What is no JSON is no beginning either.
    return undefined
  }
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
