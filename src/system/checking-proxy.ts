import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HostReach } from './reach-host.js'

export interface CheckingProxyOptions {
  /** Decides about each connection. The connection goes to the addresses that were checked. */
  readonly checkHost: (host: string) => Promise<HostReach>
  /** The text of the answer to a refused request. */
  readonly describeRefusal: (refusal: HostReach & { isAllowed: false }) => string
  /** The password that clients must send. Set if programs that must not use the proxy can reach it. */
  readonly password?: string
  /** Another proxy that makes the connections to a host; undefined for a direct connection. That proxy looks up the host itself. */
  readonly findUpstream?: (host: string, isSecure: boolean) => URL | undefined
}

/** Hop-by-hop headers, which are not forwarded. */
const HOP_HEADERS = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer']

/** Creates an HTTP proxy that checks every host. It does not listen yet. */
export function createCheckingProxy(options: CheckingProxyOptions): Server {
  const server = createServer(
    (incomingRequest, answer) => void forward(incomingRequest, answer, options).catch(() => answer.destroy()),
  )
  server.on(
    'connect',
    (incomingRequest, socket, head) =>
      void tunnel(incomingRequest, socket, head, options).catch(() => socket.destroy()),
  )
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}

async function forward(
  incomingRequest: IncomingMessage,
  answer: ServerResponse,
  options: CheckingProxyOptions,
): Promise<void> {
  if (!hasPassword(incomingRequest, options)) return void answer.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
  const url = parseUrl(incomingRequest.url)
  if (url?.protocol !== 'http:')
    return void answer.writeHead(400).end('haft: this proxy accepts only absolute http URLs and CONNECT.\n')
  const upstream = options.findUpstream?.(url.hostname, false)
  const hostReach = await options.checkHost(url.hostname)
  if (!hostReach.isAllowed && !isLeftToUpstream(hostReach, upstream))
    return void answer.writeHead(403, { 'content-type': 'text/plain' }).end(options.describeRefusal(hostReach))
  const outgoingRequest = request({
    ...(upstream === undefined
      ? { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || 80, lookup: answerWith(hostReach) }
      : { host: upstream.hostname, port: upstream.port || 80 }),
    method: incomingRequest.method,
    path: upstream === undefined ? `${url.pathname}${url.search}` : url.href,
    // Replaces the Host header of the request, because one server can serve many hosts, and only this host was checked.
    headers: { ...removeHopHeaders(incomingRequest), host: url.host, ...createUpstreamHeaders(upstream) },
  })
  outgoingRequest.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(answer)
  })
  outgoingRequest.on('error', () =>
    answer.headersSent ? answer.destroy() : answer.writeHead(502).end(`haft: the request to ${url.host} failed.\n`),
  )
  answer.on('close', () => outgoingRequest.destroy())
  incomingRequest.pipe(outgoingRequest)
}

async function tunnel(
  incomingRequest: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: CheckingProxyOptions,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  if (!hasPassword(incomingRequest, options))
    return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  const url = parseUrl(`http://${incomingRequest.url}`)
  if (url === undefined) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  const upstream = options.findUpstream?.(url.hostname, true)
  const hostReach = await options.checkHost(url.hostname)
  if (!hostReach.isAllowed && !isLeftToUpstream(hostReach, upstream))
    return void socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${options.describeRefusal(hostReach)}`)
  const port = Number(url.port || 80)
  const remote =
    upstream === undefined
      ? await connectFirst(hostReach.isAllowed ? hostReach.addresses : [], port)
      : await connectThrough(upstream, `${url.hostname}:${port}`)
  if (remote === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  remote.on('error', () => socket.destroy())
  if (socket.destroyed) return void remote.destroy()
  socket.on('close', () => remote.destroy())
  remote.on('close', () => socket.destroy())
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  remote.write(head)
  socket.pipe(remote).pipe(socket)
}

/** Returns a lookup with the addresses that were checked. It is not called for a literal address, which was checked itself. */
function answerWith(hostReach: HostReach): LookupFunction {
  const addresses = hostReach.isAllowed ? hostReach.addresses : []
  const records = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, { all }, callback) => {
    if (all) callback(null, records)
    else callback(null, records[0]?.address ?? '', records[0]?.family)
  }
}

/** Whether the decision about a host is left to the other proxy, because only that proxy can look it up. */
function isLeftToUpstream(hostReach: HostReach, upstream: URL | undefined): boolean {
  return upstream !== undefined && !hostReach.isAllowed && hostReach.reason === 'unknown'
}

async function connectFirst(addresses: readonly string[], port: number): Promise<Socket | undefined> {
  for (const host of addresses) {
    const socket = connect({ host, port })
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    if (isOpen) return socket
    socket.destroy()
  }
  return undefined
}

/** Opens a tunnel through another proxy. */
function connectThrough(upstream: URL, target: string): Promise<Duplex | undefined> {
  return new Promise((resolve) => {
    const outgoingRequest = request({
      host: upstream.hostname,
      port: upstream.port || 80,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...createUpstreamHeaders(upstream) },
    })
    outgoingRequest.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      resolve(undefined)
    })
    outgoingRequest.once('error', () => resolve(undefined))
    outgoingRequest.once('response', (response) => {
      response.resume()
      resolve(undefined)
    })
    outgoingRequest.end()
  })
}

function createUpstreamHeaders(upstream: URL | undefined): Readonly<Record<string, string>> {
  if (upstream === undefined || upstream.username === '') return {}
  const credentials = `${decodeURIComponent(upstream.username)}:${decodeURIComponent(upstream.password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function hasPassword({ headers }: IncomingMessage, { password }: CheckingProxyOptions): boolean {
  if (password === undefined) return true
  const [, encodedCredentials = ''] = (headers['proxy-authorization'] ?? '').split(' ')
  return Buffer.from(encodedCredentials, 'base64').toString() === `haft:${password}`
}

function removeHopHeaders({ headers }: IncomingMessage): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)))
}

function parseUrl(text: string | undefined): URL | undefined {
  try {
    return new URL(text ?? '')
  } catch {
    // The URL is invalid, so the client receives status 400.
    return undefined
  }
}
