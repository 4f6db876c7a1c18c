import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type HostReach, type LookUpHost, reachHost } from '../../../system/reach-host.js'
import type { RefusalLog } from '../explain/refusal-log.js'

export interface DomainProxyOptions {
  readonly allowedDomains: readonly string[]
  readonly refusals: RefusalLog
  readonly lookUp?: LookUpHost
  /** The password that clients must send. Set if programs outside the sandbox can reach the proxy. */
  readonly password?: string
}

/** Hop-by-hop headers, which are not forwarded. */
const HOP_HEADERS = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer']

/** Creates an HTTP proxy for allowed domains. It does not listen; connections are passed to it. */
export function createDomainProxy(options: DomainProxyOptions): Server {
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
  options: DomainProxyOptions,
): Promise<void> {
  if (!hasPassword(incomingRequest, options)) return void answer.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
  const url = parseUrl(incomingRequest.url)
  if (url?.protocol !== 'http:')
    return void answer.writeHead(400).end('haft: this proxy accepts only absolute http URLs and CONNECT.\n')
  const hostReach = await checkHost(url.hostname, options)
  if (!hostReach.isAllowed)
    return void answer.writeHead(403, { 'content-type': 'text/plain' }).end(describeRefusal(hostReach))
  const outgoingRequest = request({
    host: hostReach.addresses[0],
    port: url.port || 80,
    method: incomingRequest.method,
    path: `${url.pathname}${url.search}`,
    // Replaces the Host header of the request, because one server can serve many hosts, and only this host was checked.
    headers: { ...removeHopHeaders(incomingRequest), host: url.host },
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
  options: DomainProxyOptions,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  if (!hasPassword(incomingRequest, options))
    return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  const url = parseUrl(`http://${incomingRequest.url}`)
  if (url === undefined) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  const hostReach = await checkHost(url.hostname, options)
  if (!hostReach.isAllowed) return void socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${describeRefusal(hostReach)}`)
  const remote = await connectFirst(hostReach.addresses, Number(url.port || 80))
  if (remote === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  remote.on('error', () => socket.destroy())
  if (socket.destroyed) return void remote.destroy()
  socket.on('close', () => remote.destroy())
  remote.on('close', () => socket.destroy())
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  remote.write(head)
  socket.pipe(remote).pipe(socket)
}

async function checkHost(host: string, { allowedDomains, lookUp, refusals }: DomainProxyOptions): Promise<HostReach> {
  const hostReach = await reachHost(host, allowedDomains, lookUp)
  if (!hostReach.isAllowed && hostReach.reason !== 'unknown')
    refusals.add({ host: hostReach.host, reason: hostReach.reason })
  return hostReach
}

function describeRefusal({ host, reason }: HostReach & { isAllowed: false }): string {
  const explanations = {
    domain: 'is not among the allowed domains',
    address: 'resolves to an address of this machine or the local network',
    unknown: 'could not be resolved',
  }
  return `haft: the sandbox refuses connections to ${host}: it ${explanations[reason]}.\n`
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

function hasPassword({ headers }: IncomingMessage, { password }: DomainProxyOptions): boolean {
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

/** Returns the variables that make programs use the proxy, in all common spellings. */
export function createProxyEnvironment(url: string): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']
  const directHosts = 'localhost,127.0.0.1,::1'
  return {
    ...Object.fromEntries([...names, ...names.map((name) => name.toLowerCase())].map((name) => [name, url])),
    NO_PROXY: directHosts,
    no_proxy: directHosts,
    NODE_USE_ENV_PROXY: '1',
  }
}
