import { BlockList, isIPv4, isIPv6 } from 'node:net'

export type AddressKind =
  | 'public'
  /** Of this machine or its network. */
  | 'private'
  /** Where clouds hand out credentials, among others; nobody needs it by a name. */
  | 'link-local'

const PRIVATE = lazyBlockList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '::/128', '::1/128', 'fc00::/7', 'fec0::/10', 'ff00::/8'],
  // Addresses of the older kind, wrapped for the newer one: nobody needs them here, and they reach anything.
  ...['64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '2001::/32', '::/96'],
])
const LINK_LOCAL = lazyBlockList(['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::/32', '100.100.100.200/32'])

/** Tells the addresses that anybody can reach from those of this machine and its network. */
export function addressKind(address: string): AddressKind {
  const plain = unwrapped(address)
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6'
  if (!isIPv4(plain) && !isIPv6(plain)) return 'link-local'
  if (LINK_LOCAL().check(plain, family)) return 'link-local'
  return PRIVATE().check(plain, family) ? 'private' : 'public'
}

/** `::ffff:10.0.0.1`, in either spelling, is 10.0.0.1. */
function unwrapped(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const host = new URL(`http://[${plain}]`).hostname.slice(1, -1)
  const pair = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(host)
  if (pair === null) return plain
  const bits = pair.slice(1).map((half) => Number.parseInt(half, 16))
  return bits.flatMap((half) => [half >> 8, half & 0xff]).join('.')
}

/** Made when the first address is looked at: few commands ever need one. */
function lazyBlockList(nets: readonly string[]): () => BlockList {
  let list: BlockList | undefined
  return () => {
    list ??= blockList(nets)
    return list
  }
}

function blockList(nets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const net of nets) {
    const [address = '', bits] = net.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}
