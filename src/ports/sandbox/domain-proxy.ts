import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type LookUpHost, type Reach, reachHost } from './reach-host.js'
import type { RefusalLog } from './refusal-log.js'

export interface DomainProxyOptions {
  readonly allowedDomains: readonly string[]
  readonly refusals: RefusalLog
  readonly lookUp?: LookUpHost
  /** What a client must show, where others than held commands could reach the proxy. */
  readonly password?: string
}

/** Meant for the hop to the proxy, and not for the server behind it. */
const HOP_HEADERS = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer']

/** An HTTP proxy that reaches allowed domains only. It listens nowhere: connections are handed to it. */
export function createDomainProxy(options: DomainProxyOptions): Server {
  const server = createServer(
    (incoming, answer) => void forward(incoming, answer, options).catch(() => answer.destroy()),
  )
  server.on(
    'connect',
    (incoming, socket, head) => void tunnel(incoming, socket, head, options).catch(() => socket.destroy()),
  )
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}

async function forward(incoming: IncomingMessage, answer: ServerResponse, options: DomainProxyOptions): Promise<void> {
  if (!hasPassword(incoming, options)) return void answer.writeHead(407, { 'proxy-authenticate': 'Basic' }).end()
  const url = parseUrl(incoming.url)
  if (url?.protocol !== 'http:') return void answer.writeHead(400).end('haft: this is a proxy.\n')
  const reach = await judge(url.hostname, options)
  if (!reach.isAllowed) return void answer.writeHead(403, { 'content-type': 'text/plain' }).end(sayRefused(reach))
  const outgoing = request({
    host: reach.addresses[0],
    port: url.port || 80,
    method: incoming.method,
    path: `${url.pathname}${url.search}`,
    // The host that was judged, whatever the request claims: one server can serve many.
    headers: { ...withoutHop(incoming), host: url.host },
  })
  outgoing.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(answer)
  })
  outgoing.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end('haft: no answer.\n')))
  answer.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

async function tunnel(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: DomainProxyOptions,
): Promise<void> {
  socket.on('error', () => socket.destroy())
  if (!hasPassword(incoming, options)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  const url = parseUrl(`http://${incoming.url}`)
  if (url === undefined) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  const reach = await judge(url.hostname, options)
  if (!reach.isAllowed) return void socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${sayRefused(reach)}`)
  const remote = await connectFirst(reach.addresses, Number(url.port || 80))
  if (remote === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  remote.on('error', () => socket.destroy())
  if (socket.destroyed) return void remote.destroy()
  socket.on('close', () => remote.destroy())
  remote.on('close', () => socket.destroy())
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  remote.write(head)
  socket.pipe(remote).pipe(socket)
}

async function judge(host: string, { allowedDomains, lookUp, refusals }: DomainProxyOptions): Promise<Reach> {
  const reach = await reachHost(host, allowedDomains, lookUp)
  if (!reach.isAllowed && reach.reason !== 'unknown') refusals.add({ host: reach.host, reason: reach.reason })
  return reach
}

function sayRefused({ host, reason }: Reach & { isAllowed: false }): string {
  const why = {
    domain: 'is not among the allowed domains',
    address: 'leads to an address of this machine or its network',
    unknown: 'is not known',
  }
  return `haft: the sandbox lets nobody reach ${host}: it ${why[reason]}.\n`
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
  const [, encoded = ''] = (headers['proxy-authorization'] ?? '').split(' ')
  return Buffer.from(encoded, 'base64').toString() === `haft:${password}`
}

function withoutHop({ headers }: IncomingMessage): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)))
}

function parseUrl(text: string | undefined): URL | undefined {
  try {
    return new URL(text ?? '')
  } catch {
    // Not an address; the client is told so.
    return undefined
  }
}
