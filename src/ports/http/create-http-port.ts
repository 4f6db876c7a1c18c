import { isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch, type RequestInit, type Response } from 'undici'
import { HttpError, type HttpPort, type HttpRequest, type HttpResponse } from '../../contract/ports/http.js'
import { reasonOf } from '../../shared/reason-of.js'
import { type Proxies, readProxies } from '../../system/proxy-variables.js'
import {
  createWebHostCheck,
  describeRefusedHost,
  type HostReach,
  judgeDomain,
  type LookUpHost,
} from '../../system/reach-host.js'
import { openWebSocket } from './open-web-socket.js'
import { toHttpError } from './to-http-error.js'

export interface HttpPortOptions {
  /** Hosts that may have private addresses and are reached without TLS if the URL says so: `localhost`, `*.corp.test`. */
  readonly allowedPrivateHosts?: readonly string[]
  /** The environment variables that name proxies. */
  readonly variables?: Readonly<Record<string, string | undefined>>
  readonly lookUp?: LookUpHost
}

/** An HTTP port with connections that must be closed. */
export interface NodeHttpPort extends HttpPort {
  dispose(): Promise<void>
}

const DEFAULT_MAX_BYTES = 10 * 1024 ** 2
const DEFAULT_TIMEOUT_MS = 30_000
/** A WebSocket connection with a longer message, after decompression, is closed. */
const MAX_MESSAGE_BYTES = 1024 ** 2

/**
 * Creates the HTTP port of this machine. A connection goes to the address that was checked, because the same lookup
 * provides the address for both. If a proxy is configured, the proxy looks up the host again.
 */
export function createHttpPort(options: HttpPortOptions = {}): NodeHttpPort {
  const { allowedPrivateHosts = [], variables = {} } = options
  const checkHost = createWebHostCheck(allowedPrivateHosts, options.lookUp)
  const proxies = readProxies(variables)
  const dispatcher = createDispatcher(checkHost, proxies)
  const checkUrl = async (text: string, scheme: 'http' | 'ws') => {
    const url = parseUrl(text, scheme)
    const mustUseTls = judgeDomain(url.hostname, allowedPrivateHosts) === 'refused'
    if (mustUseTls) url.protocol = `${scheme}s:`
    // The lookup of a connection is not called for literal addresses, and a proxy makes the connection itself.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0 || proxies !== undefined)
      requireReach(await checkHost(url.hostname), { isUnknownAllowed: proxies !== undefined })
    return url
  }
  return {
    fetch: async (text, request = {}) => sendRequest(await checkUrl(text, 'http'), request, dispatcher),
    openWebSocket: async (text, request) => openWebSocket(await checkUrl(text, 'ws'), request, dispatcher),
    dispose: () => dispatcher.destroy(),
  }
}

function parseUrl(text: string, scheme: 'http' | 'ws'): URL {
  if (!URL.canParse(text)) throw new HttpError('invalid_url', `${JSON.stringify(text)} is not a valid URL.`)
  const url = new URL(text)
  if (url.protocol !== `${scheme}:` && url.protocol !== `${scheme}s:`)
    throw new HttpError(
      'invalid_url',
      `The URL must start with ${scheme}:// or ${scheme}s://, not with ${JSON.stringify(url.protocol)}.`,
    )
  if (url.username !== '' || url.password !== '')
    throw new HttpError(
      'invalid_url',
      'URLs with a user name or a password are not fetched. Remove the part before "@".',
    )
  return url
}

function requireReach(
  reach: HostReach,
  { isUnknownAllowed = false }: { readonly isUnknownAllowed?: boolean } = {},
): readonly string[] {
  if (reach.isAllowed) return reach.addresses
  if (reach.reason !== 'unknown') throw new HttpError('refused_address', describeRefusedHost(reach.host))
  if (isUnknownAllowed) return []
  throw new HttpError('unknown_host', `The host ${reach.host} could not be found. Check the URL.`)
}

function createDispatcher(
  checkHost: (host: string) => Promise<HostReach>,
  proxies: Proxies | undefined,
): Agent | EnvHttpProxyAgent {
  const lookup: LookupFunction = (host, { all }, callback) => {
    const answer = (addresses: readonly string[]) => {
      const records = addresses.map((address) => ({ address, family: isIP(address) }))
      if (all) callback(null, records)
      else callback(null, records[0]?.address ?? '', records[0]?.family)
    }
    checkHost(host)
      .then((reach) => requireReach(reach))
      .then(answer, (error: Error) => callback(error, ''))
  }
  const options = { connect: { lookup }, webSocket: { maxPayloadSize: MAX_MESSAGE_BYTES } }
  if (proxies === undefined) return new Agent(options)
  try {
    return new EnvHttpProxyAgent({ ...options, ...proxies })
  } catch (error) {
    throw new HttpError('failed', `The proxy of the environment variables cannot be used: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}

async function sendRequest(
  url: URL,
  {
    method = 'GET',
    headers = {},
    body,
    signal,
    maxBytes = DEFAULT_MAX_BYTES,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    acceptsPartialBody = false,
  }: HttpRequest,
  dispatcher: Dispatcher,
): Promise<HttpResponse> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const init: RequestInit = {
    ...{ method, headers, dispatcher, redirect: 'manual' },
    ...(body !== undefined && { body }),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }
  try {
    const response = await fetch(url, init)
    const partialEnd = acceptsPartialBody ? timeout : undefined
    const { bytes, ...end } = await readBody(response, maxBytes, partialEnd)
    const responseHeaders = Object.fromEntries(response.headers.entries())
    return { status: response.status, url: url.href, headers: responseHeaders, body: bytes, ...end }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (timeout.aborted)
      throw new HttpError('timed_out', `${url.host} did not complete its response within ${timeoutMs / 1000} s.`)
    throw toHttpError(error, url)
  }
}

/** Reads a body. If `partialEnd` is aborted, returns what has arrived, unless nothing has. */
async function readBody(
  response: Response,
  maxBytes: number,
  partialEnd: AbortSignal | undefined,
): Promise<{ bytes: Uint8Array } & Pick<HttpResponse, 'isTruncated' | 'isTimedOut'>> {
  const chunks: Uint8Array[] = []
  let length = 0
  let isTimedOut = false
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk)
      length += chunk.length
      // Leaving the loop cancels the rest of the body.
      if (length > maxBytes) break
    }
  } catch (error) {
    isTimedOut = partialEnd?.aborted === true && length > 0
    if (!isTimedOut) throw error
  }
  const bytes = Buffer.concat(chunks)
  return { bytes: bytes.subarray(0, maxBytes), isTruncated: length > maxBytes, ...(isTimedOut && { isTimedOut }) }
}
