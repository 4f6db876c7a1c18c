import { trimEnd } from '../../shared/trim-end.js'
import type { Certainty } from '../../shell/patterns/match-command.js'

const DOMAIN_RULE = /^domain:(\*|(?:\*\.)?[^*\s/:@?#]+)$/i

/** Returns the host in `domain:example.com` or `domain:*.example.com`; undefined for other content. */
export function parseDomainPattern(content: string): string | undefined {
  const host = DOMAIN_RULE.exec(content.trim())?.[1]
  return host === undefined ? undefined : toPlainHost(host)
}

/** For deny and ask rules: `*.` also covers the host itself, and an invalid URL counts as a possible match. */
export function domainMayMatch(pattern: string, url: string): Certainty {
  const host = hostOf(url)
  if (host === undefined) return 'maybe'
  return matchesHost(pattern, host) || host === pattern.replace(/^\*\./, '') ? 'yes' : 'no'
}

/** For allow rules: covers only http and https, and `*.` covers only subdomains. */
export function isDomainCovered(pattern: string, url: string): boolean {
  const host = hostOf(url)
  return host !== undefined && /^https?:/i.test(url.trim()) && matchesHost(pattern, host)
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}

/** Returns the host of a URL in its canonical form; undefined if the URL is invalid or has no host. */
export function hostOf(url: string): string | undefined {
  try {
    const { hostname } = new URL(url)
    return hostname === '' ? undefined : toPlainHost(hostname)
  } catch {
    return undefined
  }
}

function toPlainHost(host: string): string {
  const lowerCaseHost = trimEnd(host.toLowerCase(), '.')
  if (lowerCaseHost.startsWith('*')) return lowerCaseHost
  try {
    return new URL(`http://${lowerCaseHost}`).hostname
  } catch {
    // No real host equals an invalid one, so the rule matches nothing.
    return lowerCaseHost
  }
}
