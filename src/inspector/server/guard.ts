import type { IncomingMessage } from 'node:http'
import { hasBearerToken } from '../../system/bearer-token.js'

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 405 | 415
  readonly message: string
}

export interface GuardOptions {
  readonly port: number
  readonly token: string
}

/** The names under which a browser on this machine reaches the server. */
const HOST_NAMES = ['127.0.0.1', 'localhost']

/**
 * Returns why a request may not be served; undefined if it may. A page of another site cannot pass: its requests have a
 * foreign Origin or, after DNS rebinding, a foreign Host, and it does not know the token.
 */
export function findRefusal(
  request: IncomingMessage,
  isApi: boolean,
  { port, token }: GuardOptions,
): Refusal | undefined {
  const { headers, method = 'GET' } = request
  const hosts = HOST_NAMES.map((name) => `${name}:${port}`)
  if (!hosts.includes(headers.host ?? '')) return { status: 403, message: 'Wrong Host header.' }
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${headers.host}`)
    return { status: 403, message: 'Wrong Origin header.' }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, message: 'Requests of other sites are refused.' }
  if (method !== 'GET' && method !== 'POST') return { status: 405, message: 'Use GET or POST.' }
  if (!isApi) return method === 'GET' ? undefined : { status: 405, message: 'Use GET.' }
  if (!hasBearerToken(headers.authorization, token))
    return { status: 401, message: 'Missing or wrong token. Open the address that haft inspect printed.' }
  return method === 'POST' ? findPostRefusal(request) : undefined
}

function findPostRefusal({ headers }: IncomingMessage): Refusal | undefined {
  if (headers.origin === undefined) return { status: 403, message: 'POST needs an Origin header.' }
  if (headers['content-type'] === 'application/json') return undefined
  return { status: 415, message: 'Send application/json.' }
}

/** Nothing may be loaded from elsewhere, no script may be written into the page, and no site may embed it. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}
