import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import { createServerForRequest } from './front-server.js'
import type { Gateway } from './gateway.js'
import { httpGuard } from './http-guard.js'
import { HttpSessions } from './http-sessions.js'

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
