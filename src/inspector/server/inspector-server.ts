import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PermissionRuleError } from '../../contract/permission/rule.js'
import { SessionError } from '../../session/transcript/storage/session-error.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { PageAssets } from '../export/html.js'
import { findRefusal, SECURITY_HEADERS } from './guard.js'
import { LiveSessions } from './live-sessions.js'
import { PageCalls } from './page-calls.js'
import type { InspectorOptions, RequestContext } from './request-context.js'
import { BadRequestError, type Reply, routeRequest } from './routes.js'

const MAX_BODY_BYTES = 4 * 1024 * 1024

/** A running inspector. */
export interface Inspector {
  readonly port: number
  close(): Promise<void>
}

/** Serves the page and its data on the loopback interface. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const sessions = new LiveSessions(options)
  const calls = new PageCalls(options.workbench)
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    void handle(request, response, { ...options, port, sessions, calls })
  })
  await listen(server, options.port ?? 0)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      sessions.close()
      calls.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

async function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const isApi = url.pathname.startsWith('/api/')
  const refusal = findRefusal(request, isApi, context)
  if (refusal !== undefined) {
    send(response, { status: refusal.status, type: 'text/plain', body: `${refusal.message}\n` })
    return
  }
  const abort = new AbortController()
  response.once('close', () => abort.abort())
  try {
    const asset = isApi ? undefined : findAsset(url.pathname, context.assets)
    if (!isApi) return send(response, asset ?? { status: 404, type: 'text/plain', body: 'Not found.\n' })
    const body = request.method === 'POST' ? await readBody(request) : undefined
    const reply = await routeRequest({ method: request.method ?? 'GET', url, body, signal: abort.signal }, context)
    if ('stream' in reply) streamEvents(response, reply.stream)
    else send(response, reply)
  } catch (error) {
    send(response, toErrorReply(error))
  }
}

function findAsset(path: string, { html, script, style }: PageAssets): Reply | undefined {
  if (path === '/') return { type: 'text/html; charset=utf-8', body: html }
  if (path === '/app.js') return { type: 'text/javascript; charset=utf-8', body: script }
  return path === '/app.css' ? { type: 'text/css; charset=utf-8', body: style } : undefined
}

function toErrorReply(error: unknown): Reply {
  const isBad = error instanceof BadRequestError || error instanceof PermissionRuleError
  const status = isBad ? 400 : error instanceof SessionError ? 404 : 500
  return { status, type: 'application/json', body: JSON.stringify({ error: reasonOf(error) }) }
}

function send(response: ServerResponse, { status = 200, type, body, headers = {} }: Reply): void {
  if (response.headersSent) return
  response.writeHead(status, { ...SECURITY_HEADERS, 'Content-Type': type, ...headers }).end(body)
}

/** Sends server-sent events until the page leaves. */
function streamEvents(
  response: ServerResponse,
  start: (emit: (name: string, data: unknown) => void) => () => void,
): void {
  response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'text/event-stream' })
  const stop = start((name, data) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))
  if (response.destroyed) stop()
  else response.once('close', stop)
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new BadRequestError('The request is too long.')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    throw new BadRequestError('The body is not valid JSON.', { cause })
  }
}
