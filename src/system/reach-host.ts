import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

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

/** Returns all addresses of a host. The promise rejects if the host cannot be resolved. */
export type LookUpHost = (host: string) => Promise<readonly string[]>

export type HostReach =
  | { readonly isAllowed: true; readonly addresses: readonly string[] }
  | { readonly isAllowed: false; readonly reason: 'domain' | 'address'; readonly host: string }
  | { readonly isAllowed: false; readonly reason: 'unknown'; readonly host: string }

/**
 * Decides whether a host may be reached, and at which addresses. The host is looked up only once, because a second lookup could have
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

/**
 * Creates the check for requests to the web: public addresses, and private ones only of hosts that the list contains. A
 * link-local address must be listed literally.
 */
export function createWebHostCheck(
  allowedPrivateHosts: readonly string[],
  lookUp?: LookUpHost,
): (host: string) => Promise<HostReach> {
  return (host) => reachHost(host, judgeDomain(host, allowedPrivateHosts) === 'refused' ? ['*'] : [host], lookUp)
}

/** Explains to the model why a host of the web is refused, and who can allow it. */
export function describeRefusedHost(host: string): string {
  return `${host} is or resolves to an address of this machine, the local network or a metadata service, which may not be fetched. The user can allow the host with the setting web.allowPrivateHosts.`
}

async function lookUpInSystem(host: string): Promise<readonly string[]> {
  // Loaded on demand: it takes a millisecond of the first command of a process, and commands rarely need it.
  const { lookup } = await import('node:dns/promises')
  const foundAddresses = await lookup(host, { all: true })
  return foundAddresses.map(({ address }) => address)
}

export type AddressKind =
  | 'public'
  /** Addresses of this machine or the local network. */
  | 'private'
  /** Link-local, including the metadata services of clouds, which provide credentials. */
  | 'link-local'

/** The only IPv6 network with public addresses. */
const GLOBAL_IPV6 = createLazyBlockList(['2000::/3'])
const PRIVATE_NETWORKS = createLazyBlockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  // IPv6 addresses that contain an IPv4 address, so that they could lead to any of the networks above.
  ...['2002::/16', '2001::/32'],
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
  if (family === 'ipv6' && !GLOBAL_IPV6().check(unwrappedAddress, family)) return 'private'
  return PRIVATE_NETWORKS().check(unwrappedAddress, family) ? 'private' : 'public'
}

/** Converts `::ffff:10.0.0.1`, in either spelling, and the NAT64 form `64:ff9b::10.0.0.1` to 10.0.0.1. */
function unwrapAddress(address: string): string {
  const addressWithoutZone = address.replace(/%.*$/, '')
  if (!isIPv6(addressWithoutZone)) return addressWithoutZone
  const host = new URL(`http://[${addressWithoutZone}]`).hostname.slice(1, -1)
  const pair = /^(?:::ffff|64:ff9b:):([\da-f]+):([\da-f]+)$/.exec(host)
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
