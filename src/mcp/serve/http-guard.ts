import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/node'

export interface HttpGuardOptions {
  /** Names by which the machine may be reached; others are those of web pages that lead browsers here. */
  readonly hosts: readonly string[]
  /** Left out where everybody on this machine may call. */
  readonly token?: string | undefined
  readonly path: string
}

/** Whether a request may be served; one that may not has been answered. */
export function httpGuard({
  hosts,
  token,
  path,
}: HttpGuardOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
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
