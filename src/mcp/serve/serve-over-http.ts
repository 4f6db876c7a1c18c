import { randomUUID } from 'node:crypto'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Gateway } from './gateway.js'
import { createRequestServer, createSessionServer } from './gateway-server.js'
import { createHttpGuard, LOCAL_HOSTS, toUrlHost } from './http-guard.js'
import { limitUnread } from './limit-unread.js'

export interface HttpOptions {
  readonly port: number
  readonly host: string
  /** Host names that clients may use, in addition to the local ones. */
  readonly allowedHosts: readonly string[]
  readonly token?: string | undefined
  readonly onProblem: (problem: string) => void
}

export interface RunningHttpServer {
  readonly url: string
  close(): Promise<void>
}

const ENDPOINT_PATH = '/mcp'
const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/** Serves clients of all protocol revisions at one URL. */
export async function serveOverHttp(gateway: Gateway, options: HttpOptions): Promise<RunningHttpServer> {
  const { host, token, allowedHosts, onProblem } = options
  const onerror = ({ message }: Error): void => onProblem(message)
  const sizeOptions = { maxRequestBodySize: MAX_REQUEST_BYTES }
  const sessions = new HttpSessions(gateway, MAX_REQUEST_BYTES)
  const statelessHandler = createMcpHandler(() => createRequestServer(gateway), {
    legacy: 'reject',
    onerror,
    ...sizeOptions,
  })
  const unsubscribe = gateway.clients.subscribe({
    notifyListChanged(kind) {
      if (kind === 'tools') statelessHandler.notify.toolsChanged()
      else if (kind === 'prompts') statelessHandler.notify.promptsChanged()
      else statelessHandler.notify.resourcesChanged()
    },
    notifyResourceUpdated: (uri) => statelessHandler.notify.resourceUpdated(uri),
    // Stateless clients receive logs only within the request that the logs belong to.
    log: () => undefined,
  })
  const handle = toNodeHandler(
    {
      fetch: async (request) =>
        limitUnread(
          (await isLegacyRequest(request, undefined, sizeOptions))
            ? await sessions.handle(request)
            : await statelessHandler.fetch(request),
        ),
    },
    { onerror, ...sizeOptions },
  )
  const isAllowed = createHttpGuard({
    hosts: [...LOCAL_HOSTS, toUrlHost(host), ...allowedHosts],
    token,
    path: ENDPOINT_PATH,
  })
  const server = createServer((req, res) => {
    if (isAllowed(req, res)) void handle(req as Parameters<typeof handle>[0], res)
  })
  const port = await listen(server, options)
  return {
    url: `http://${toUrlHost(host)}:${port}${ENDPOINT_PATH}`,
    async close() {
      unsubscribe()
      await Promise.all([sessions.close(), statelessHandler.close()])
      server.close()
      server.closeAllConnections()
    },
  }
}

function listen(server: HttpServer, { port, host }: HttpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Sessions that are unused for this long are ended, because clients may disconnect without closing their session. */
const MAX_IDLE_MS = 60 * 60 * 1000
const MAX_SESSIONS = 1_000

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
}

/** Sessions of clients with older protocol revisions. */
class HttpSessions {
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
      if (session === undefined)
        return createErrorResponse(404, -32_001, 'Unknown session. Start a new one with initialize.')
      session.usedAt = Date.now()
      return session.transport.handleRequest(request)
    }
    const body = request.method === 'POST' ? await parseBody(request.clone()) : undefined
    if (!isInitializeRequest(body)) return createErrorResponse(400, -32_000, 'A session must start with initialize.')
    return this.#begin(request, body)
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#sessions.values(), ({ transport }) => transport.close()))
  }

  async #begin(request: Request, parsedBody: unknown): Promise<Response> {
    await this.#endSurplusSessions()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: this.#maxRequestBodySize,
      onsessioninitialized: (id) => void this.#sessions.set(id, { transport, usedAt: Date.now() }),
    })
    const server = createSessionServer(this.#gateway)
    const unsubscribe = server.onclose
    server.onclose = () => {
      unsubscribe?.()
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }

  /** Ends idle sessions, and the least recently used sessions if there are too many. */
  async #endSurplusSessions(): Promise<void> {
    const sessionsByAge = [...this.#sessions.values()].sort((a, b) => a.usedAt - b.usedAt)
    const surplusCount = this.#sessions.size - MAX_SESSIONS + 1
    const surplusSessions = sessionsByAge.filter(
      ({ usedAt }, index) => index < surplusCount || usedAt < Date.now() - MAX_IDLE_MS,
    )
    await Promise.all(surplusSessions.map(({ transport }) => transport.close()))
  }
}

async function parseBody(request: Request): Promise<unknown> {
  try {
    return await request.json()
  } catch {
    // Invalid JSON cannot be an initialize request.
    return undefined
  }
}

function createErrorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
