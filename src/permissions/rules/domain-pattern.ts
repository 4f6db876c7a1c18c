import type { WebTarget } from '../../contract/tool/tool.js'
import { trimEnd } from '../../shared/trim-end.js'
import type { Certainty } from '../../shell/patterns/match-command.js'

const DOMAIN_RULE = /^(?:([a-z]+):)?domain:(\*|(?:\*\.)?[^*\s/:@?#]+)$/i

/** The content of a rule about hosts. */
export interface DomainPattern {
  /** A host, `*.` and a host, or `*`. */
  readonly host: string
  /** The only action that the rule is about, as in `evaluate:domain:example.com`. */
  readonly action?: string
}

/** Parses `domain:example.com`, `domain:*.example.com` and `action:domain:example.com`; undefined for other content. */
export function parseDomainPattern(content: string): DomainPattern | undefined {
  const [, action, host] = DOMAIN_RULE.exec(content.trim()) ?? []
  if (host === undefined) return undefined
  return { host: toPlainHost(host), ...(action !== undefined && { action: action.toLowerCase() }) }
}

/** Writes the rule content that covers a page and the action on it; undefined for a URL without a host. */
export function formatDomainPattern({ url, action }: WebTarget): string | undefined {
  const host = hostOf(url)
  return host === undefined ? undefined : `${action === undefined ? '' : `${action}:`}domain:${host}`
}

/**
 * Whether a deny or ask rule matches a page. `*.` also covers the host itself, an invalid URL counts as a possible match, and a
 * rule without an action covers all of them.
 */
export function domainMayMatch({ host: pattern, action }: DomainPattern, target: WebTarget): Certainty {
  if (action !== undefined && action !== target.action) return 'no'
  const host = hostOf(target.url)
  if (host === undefined) return 'maybe'
  return matchesHost(pattern, host) || host === pattern.replace(/^\*\./, '') ? 'yes' : 'no'
}

/**
 * Whether an allow rule covers a page. It covers only http, https, ws and wss, `*.` covers only subdomains, and the actions
 * must be the same.
 */
export function isDomainCovered({ host: pattern, action }: DomainPattern, target: WebTarget): boolean {
  const host = hostOf(target.url)
  if (host === undefined || action !== target.action) return false
  return /^(?:https?|wss?):/i.test(target.url.trim()) && matchesHost(pattern, host)
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
