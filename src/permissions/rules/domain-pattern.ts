import type { Certainty } from '../../shell/command-pattern.js'

const DOMAIN = /^domain:(\*|(?:\*\.)?[^*\s/:@?#]+)$/i

/** The host that `domain:example.com` or `domain:*.example.com` names; undefined where the content is neither. */
export function parseDomainPattern(content: string): string | undefined {
  const host = DOMAIN.exec(content.trim())?.[1]
  return host === undefined ? undefined : plainHost(host)
}

/** For rules that restrict: the host behind `*.` counts too, and an address that cannot be read may be any. */
export function domainMayMatch(pattern: string, url: string): Certainty {
  const host = hostOf(url)
  if (host === undefined) return 'maybe'
  return matchesHost(pattern, host) || host === pattern.replace(/^\*\./, '') ? 'yes' : 'no'
}

/** For rules that allow: only the web, and `*.` covers what lies below the host. */
export function domainIsCovered(pattern: string, url: string): boolean {
  const host = hostOf(url)
  return host !== undefined && /^https?:/i.test(url.trim()) && matchesHost(pattern, host)
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}

/** The host of an address as it will be looked up. */
export function hostOf(url: string): string | undefined {
  try {
    const { hostname } = new URL(url)
    return hostname === '' ? undefined : plainHost(hostname)
  } catch {
    // What cannot be read as an address has no host.
    return undefined
  }
}

function plainHost(host: string): string {
  const lower = host.toLowerCase().replace(/\.+$/, '')
  if (lower.startsWith('*')) return lower
  try {
    return new URL(`http://${lower}`).hostname
  } catch {
    // Kept as it stands: it equals no real host, so the rule matches nothing.
    return lower
  }
}
