/** How far a list of domains lets a host through. */
export type DomainVerdict =
  | 'refused'
  /** Only to addresses that anybody can reach: who runs the names below a domain must not lead into this network. */
  | 'public'
  /** Named in full, so that an address of the own network is meant. */
  | 'named'

/** Judges hosts by entries such as `example.com`, `*.example.com` (what lies below it) or `*`. */
export function judgeDomain(host: string, allowed: readonly string[]): DomainVerdict {
  const plain = plainHost(host)
  const entries = allowed.map(plainHost)
  if (entries.includes(plain)) return 'named'
  const isCovered = (entry: string) => entry === '*' || (entry.startsWith('*.') && plain.endsWith(entry.slice(1)))
  return entries.some(isCovered) ? 'public' : 'refused'
}

/** One spelling of a host: lower case, no dot at the end, no brackets, and an address in its usual form. */
export function plainHost(host: string): string {
  const lower = host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '')
  if (lower.startsWith('*')) return lower
  try {
    return new URL(`http://${lower.includes(':') ? `[${lower}]` : lower}`).hostname.replace(/^\[|\]$/g, '')
  } catch {
    // No host at all; it equals none that is allowed.
    return lower
  }
}
