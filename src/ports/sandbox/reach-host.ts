import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { addressKind } from './address-kind.js'
import { type DomainVerdict, judgeDomain, plainHost } from './domain-list.js'

/** All addresses of a host. */
export type LookUpHost = (host: string) => Promise<readonly string[]>

export type Reach =
  | { readonly isAllowed: true; readonly addresses: readonly string[] }
  | { readonly isAllowed: false; readonly reason: 'domain' | 'address'; readonly host: string }
  | { readonly isAllowed: false; readonly reason: 'unknown'; readonly host: string }

/** The addresses to connect to, looked up once: a second look could give another answer. */
export async function reachHost(
  host: string,
  allowed: readonly string[],
  lookUp: LookUpHost = systemLookUp,
): Promise<Reach> {
  const plain = plainHost(host)
  const verdict = judgeDomain(plain, allowed)
  if (verdict === 'refused') return { isAllowed: false, reason: 'domain', host: plain }
  if (isIP(plain) !== 0) return verdict === 'named' ? { isAllowed: true, addresses: [plain] } : ofPublic(plain, [plain])
  const found = await lookUp(plain).catch(() => [])
  if (found.length === 0) return { isAllowed: false, reason: 'unknown', host: plain }
  return ofPublic(plain, found, verdict)
}

function ofPublic(host: string, found: readonly string[], verdict: DomainVerdict = 'public'): Reach {
  const kinds = verdict === 'named' ? ['public', 'private'] : ['public']
  const addresses = found.filter((address) => kinds.includes(addressKind(address)))
  return addresses.length > 0 ? { isAllowed: true, addresses } : { isAllowed: false, reason: 'address', host }
}

async function systemLookUp(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}
