import { lookup } from 'node:dns/promises'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { BlockList, connect, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
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
  const reach = await checkHost(url.hostname, options)
  if (!reach.isAllowed) return void answer.writeHead(403, { 'content-type': 'text/plain' }).end(describeRefusal(reach))
  const outgoingRequest = request({
    host: reach.addresses[0],
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
  const reach = await checkHost(url.hostname, options)
  if (!reach.isAllowed) return void socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${describeRefusal(reach)}`)
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

async function checkHost(host: string, { allowedDomains, lookUp, refusals }: DomainProxyOptions): Promise<HostReach> {
  const reach = await reachHost(host, allowedDomains, lookUp)
  if (!reach.isAllowed && reach.reason !== 'unknown') refusals.add({ host: reach.host, reason: reach.reason })
  return reach
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

/** Whether a list of domains permits a host, and at which addresses. */
export type DomainVerdict =
  | 'refused'
  /** Public addresses only: the owner of a name below a domain must not redirect to the local network. */
  | 'public'
  /** Named in full, so that a local address is intended. */
  | 'named'

/** Compares a host with entries such as `example.com`, `*.example.com` (every host below it) and `*`. */
export function judgeDomain(host: string, allowedDomains: readonly string[]): DomainVerdict {
  const normalisedHost = normaliseHost(host)
  const entries = allowedDomains.map(normaliseHost)
  if (entries.includes(normalisedHost)) return 'named'
  const isCovered = (entry: string) =>
    entry === '*' || (entry.startsWith('*.') && normalisedHost.endsWith(entry.slice(1)))
  return entries.some(isCovered) ? 'public' : 'refused'
}

/** Normalises a host to lower case, without a trailing dot or brackets, and with canonical addresses. */
function normaliseHost(host: string): string {
  const lowerCaseHost = host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '')
  if (lowerCaseHost.startsWith('*')) return lowerCaseHost
  try {
    return new URL(`http://${lowerCaseHost.includes(':') ? `[${lowerCaseHost}]` : lowerCaseHost}`).hostname.replace(
      /^\[|\]$/g,
      '',
    )
  } catch {
    // The host is invalid, so it matches no entry.
    return lowerCaseHost
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

/** Returns all addresses of a host. The promise rejects if the host cannot be resolved. */
export type LookUpHost = (host: string) => Promise<readonly string[]>

export type HostReach =
  | { readonly isAllowed: true; readonly addresses: readonly string[] }
  | { readonly isAllowed: false; readonly reason: 'domain' | 'address'; readonly host: string }
  | { readonly isAllowed: false; readonly reason: 'unknown'; readonly host: string }

/**
 * Decides whether a host may be reached, and at which addresses. It is looked up only once, because a second lookup could have
 * another result.
 */
export async function reachHost(
  host: string,
  allowedDomains: readonly string[],
  lookUp: LookUpHost = lookUpInSystem,
): Promise<HostReach> {
  const normalisedHost = normaliseHost(host)
  const verdict = judgeDomain(normalisedHost, allowedDomains)
  if (verdict === 'refused') return { isAllowed: false, reason: 'domain', host: normalisedHost }
  if (isIP(normalisedHost) !== 0)
    return verdict === 'named'
      ? { isAllowed: true, addresses: [normalisedHost] }
      : filterAddresses(normalisedHost, [normalisedHost])
  const foundAddresses = await lookUp(normalisedHost).catch(() => [])
  if (foundAddresses.length === 0) return { isAllowed: false, reason: 'unknown', host: normalisedHost }
  return filterAddresses(normalisedHost, foundAddresses, verdict)
}

function filterAddresses(
  host: string,
  foundAddresses: readonly string[],
  verdict: DomainVerdict = 'public',
): HostReach {
  const kinds = verdict === 'named' ? ['public', 'private'] : ['public']
  const addresses = foundAddresses.filter((address) => kinds.includes(classifyAddress(address)))
  return addresses.length > 0 ? { isAllowed: true, addresses } : { isAllowed: false, reason: 'address', host }
}

async function lookUpInSystem(host: string): Promise<readonly string[]> {
  const foundAddresses = await lookup(host, { all: true })
  return foundAddresses.map(({ address }) => address)
}

export type AddressKind =
  | 'public'
  /** Addresses of this machine or the local network. */
  | 'private'
  /** Link-local, including the metadata services of clouds, which provide credentials. */
  | 'link-local'

const PRIVATE_NETWORKS = createLazyBlockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '::/128', '::1/128', 'fc00::/7', 'fec0::/10', 'ff00::/8'],
  // IPv6 addresses that contain an IPv4 address, so that they could lead to any of the networks above.
  ...['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '::/96'],
])
const LINK_LOCAL_NETWORKS = createLazyBlockList(['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::/32', '100.100.100.200/32'])

/**
 * Distinguishes public addresses from those of this machine and the local network. An invalid address counts as link-local,
 * the strictest kind.
 */
export function classifyAddress(address: string): AddressKind {
  const unwrappedAddress = unwrapAddress(address)
  const family = isIPv4(unwrappedAddress) ? 'ipv4' : 'ipv6'
  if (!isIPv4(unwrappedAddress) && !isIPv6(unwrappedAddress)) return 'link-local'
  if (LINK_LOCAL_NETWORKS().check(unwrappedAddress, family)) return 'link-local'
  return PRIVATE_NETWORKS().check(unwrappedAddress, family) ? 'private' : 'public'
}

/** Converts `::ffff:10.0.0.1`, in either spelling, to 10.0.0.1. */
function unwrapAddress(address: string): string {
  const addressWithoutZone = address.replace(/%.*$/, '')
  if (!isIPv6(addressWithoutZone)) return addressWithoutZone
  const host = new URL(`http://[${addressWithoutZone}]`).hostname.slice(1, -1)
  const pair = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(host)
  if (pair === null) return addressWithoutZone
  const bits = pair.slice(1).map((half) => Number.parseInt(half, 16))
  return bits.flatMap((half) => [half >> 8, half & 0xff]).join('.')
}

/** Returns a function that creates the list at first use, because few commands use the network. */
function createLazyBlockList(networks: readonly string[]): () => BlockList {
  let list: BlockList | undefined
  return () => {
    list ??= createBlockList(networks)
    return list
  }
}

function createBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const net of networks) {
    const [address = '', bits] = net.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}
