import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node'
import { hasBearerToken } from '../../system/bearer-token.js'

/** The names of this machine that clients may always use. */
export const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'] as const

/** Returns a host as it is written in URLs. */
export function toUrlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

export interface HttpGuardOptions {
  /** The accepted host names. A request with any other name may come from a web page through DNS rebinding. */
  readonly hosts: readonly string[]
  /** Omitted if every local user may use the server. Web pages may not use it then. */
  readonly token?: string | undefined
  /** The only path that is served. */
  readonly path: string
}

/** Creates a function that returns whether a request may be served. A rejected request has been answered by then. */
export function createHttpGuard({
  hosts,
  token,
  path,
}: HttpGuardOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  const isHostAllowed = hostHeaderValidation([...hosts])
  const isOriginAllowed = originValidation([...hosts])
  return (req, res) => {
    if (!isHostAllowed(req, res) || !isOriginAllowed(req, res)) return false
    // Any program of this machine can serve a page. Only our own address is excepted: nothing serves pages there.
    const { origin, host } = req.headers
    if (token === undefined && origin !== undefined && origin !== `http://${host}`) {
      res.writeHead(403).end('Web pages need a token. Start the server without --no-token.\n')
      return false
    }
    if (token !== undefined && !hasBearerToken(req.headers.authorization, token)) {
      res
        .writeHead(401, { 'WWW-Authenticate': 'Bearer' })
        .end('Missing or wrong bearer token. Send the token of this server in the Authorization header.\n')
      return false
    }
    if ((req.url ?? '').split('?')[0] === path) return true
    res.writeHead(404).end(`Not found. The endpoint is ${path}.\n`)
    return false
  }
}
