import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createLastingServer, createServerForRequest } from './front-server.js'
import type { Gateway } from './gateway.js'

export interface HttpOptions {
  readonly port: number
  readonly host: string
  /** Names by which clients may reach it, beside those of this machine itself. */
  readonly allowedHosts: readonly string[]
  readonly token?: string | undefined
  readonly onProblem: (problem: string) => void
}

export interface HttpServing {
  readonly url: string
  close(): Promise<void>
}

const PATH = '/mcp'
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'] as const
const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/** Serves any number of clients of all revisions at one address. */
export async function serveOverHttp(gateway: Gateway, options: HttpOptions): Promise<HttpServing> {
  const { host, token, allowedHosts, onProblem } = options
  const onerror = ({ message }: Error): void => onProblem(message)
  const sizes = { maxRequestBodySize: MAX_REQUEST_BYTES }
  const sessions = new HttpSessions(gateway, MAX_REQUEST_BYTES)
  const stateless = createMcpHandler(() => createServerForRequest(gateway), { legacy: 'reject', onerror, ...sizes })
  const leave = gateway.clients.join({
    listsChanged() {
      stateless.notify.toolsChanged()
      stateless.notify.promptsChanged()
      stateless.notify.resourcesChanged()
    },
    resourceUpdated: (uri) => stateless.notify.resourceUpdated(uri),
    // In this revision a log goes only with the request it belongs to.
    log: () => undefined,
  })
  const handle = toNodeHandler(
    {
      fetch: async (request) =>
        (await isLegacyRequest(request, undefined, sizes)) ? sessions.handle(request) : stateless.fetch(request),
    },
    { onerror, ...sizes },
  )
  const isAllowed = httpGuard({ hosts: [...THIS_MACHINE, inBrackets(host), ...allowedHosts], token, path: PATH })
  const server = createServer((req, res) => {
    if (isAllowed(req, res)) void handle(req as Parameters<typeof handle>[0], res)
  })
  const port = await listen(server, options)
  return {
    url: `http://${inBrackets(host)}:${port}${PATH}`,
    async close() {
      leave()
      await Promise.all([sessions.close(), stateless.close()])
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

function inBrackets(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

interface HttpGuardOptions {
  /** Names by which the machine may be reached; others are those of web pages that lead browsers here. */
  readonly hosts: readonly string[]
  /** Left out where everybody on this machine may call. */
  readonly token?: string | undefined
  readonly path: string
}

/** Whether a request may be served; one that may not has been answered. */
function httpGuard({ hosts, token, path }: HttpGuardOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  const isHostAllowed = hostHeaderValidation([...hosts])
  const isOriginAllowed = originValidation([...hosts])
  return (req, res) => {
    if (!isHostAllowed(req, res) || !isOriginAllowed(req, res)) return false
    if (token !== undefined && !hasToken(req, token)) {
      res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end('The token of this server is missing or wrong.\n')
      return false
    }
    if ((req.url ?? '').split('?')[0] === path) return true
    res.writeHead(404).end(`There is nothing here but ${path}.\n`)
    return false
  }
}

function hasToken({ headers: { authorization = '' } }: IncomingMessage, token: string): boolean {
  // Hashes have the same length, whatever was sent, and so take the same time to compare.
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization.replace(/^bearer +/i, '')), digest(token))
}

/** Clients that went away without a word leave their session behind. */
const IDLE_MS = 60 * 60 * 1000
const MOST_SESSIONS = 1_000

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
}

/** Clients of older revisions, which stay in a session over many requests. */
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
