import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { version } from '../../shared/version.js'
import type { Fleet } from '../fleet-client.js'
import { FleetError } from '../runs/run-spec.js'
import { findToken } from '../runs/tenants.js'
import { createOpenApi } from './open-api.js'
import { type ApiAnswer, ROUTES, type Route } from './routes.js'

const MAX_BODY_BYTES = 1024 * 1024
const STATUS_OF: Readonly<Record<FleetError['code'], number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
}

/** A running API of a fleet. */
export interface ApiServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves the API of a fleet. Every request needs a token, which decides the tenant: nothing in a request can name another one. */
export async function serveFleetApi(
  fleet: Fleet,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<ApiServer> {
  const server = createServer((request, response) => {
    void answer(fleet, request)
      .catch(toErrorAnswer)
      .then((result) => send(response, result))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: boundPort } = server.address() as AddressInfo
  const urlHost = host.includes(':') ? `[${host}]` : host
  return { url: `http://${urlHost}:${boundPort}`, close: () => closeServer(server) }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function answer(fleet: Fleet, request: IncomingMessage): Promise<ApiAnswer> {
  const url = new URL(request.url ?? '/', 'http://fleet')
  if (url.pathname === '/openapi.json') return { body: createOpenApi(version) }
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const owner = token === undefined ? undefined : await findToken(fleet.database, token)
  if (owner === undefined)
    return { status: 401, body: { error: 'A valid token is needed: Authorization: Bearer TOKEN.' } }
  const { route, params } = findRoute(request.method ?? '', url.pathname)
  if (!owner.scopes.includes(route.scope))
    throw new FleetError('forbidden', `The token "${owner.label}" does not allow this; it needs ${route.scope}.`)
  const body = route.bodySchema === undefined ? undefined : await readJson(request)
  return route.handle({
    ...{ client: fleet.tenant(owner.tenant), database: fleet.database, label: owner.label },
    ...{ params, query: url.searchParams, body },
  })
}

function findRoute(method: string, path: string): { readonly route: Route; readonly params: Record<string, string> } {
  for (const route of ROUTES) {
    const params = route.method === method ? matchPath(route.path, path) : undefined
    if (params !== undefined) return { route, params }
  }
  throw new FleetError('not_found', `There is no ${method} ${path}. See /openapi.json.`)
}

/** Compares a path with a pattern such as `/v1/runs/{id}`, and returns the parameters. */
function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const names = pattern.split('/')
  const parts = path.split('/')
  if (names.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? ''
    const parameter = /^\{(\w+)\}$/.exec(name)?.[1]
    if (parameter === undefined ? part !== name : part === '') return undefined
    if (parameter !== undefined) params[parameter] = decodePart(part)
  }
  return params
}

function decodePart(part: string): string {
  const text = tryToDecode(part)
  // PostgreSQL has no text with this character.
  if (text === undefined || text.includes('\0'))
    throw new FleetError('invalid', `The path contains an invalid escape: ${part}.`)
  return text
}

function tryToDecode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new FleetError('invalid', `The body is longer than ${MAX_BODY_BYTES} bytes.`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new FleetError('invalid', 'The body is not JSON.')
  }
}

function toErrorAnswer(error: unknown): ApiAnswer {
  if (error instanceof FleetError) return { status: STATUS_OF[error.code], body: { error: error.message } }
  // The reason may contain details of the database.
  return { status: 500, body: { error: 'The request failed.' } }
}

function send(response: ServerResponse, { status = 200, body }: ApiAnswer): void {
  const isBytes = Buffer.isBuffer(body)
  response.writeHead(status, {
    'content-type': isBytes ? 'application/octet-stream' : 'application/json',
    'x-content-type-options': 'nosniff',
  })
  response.end(isBytes ? body : JSON.stringify(body))
}
