import type { HttpPort } from '../../contract/ports/http.js'
import type { WebSearchPort, WebSearchSettings } from '../../contract/ports/web-search.js'
import { judgeDomain } from '../../system/reach-host.js'
import { searchWith } from './search-providers.js'

/** Creates the port for the configured service. */
export function createWebSearch(http: HttpPort, settings: WebSearchSettings): WebSearchPort {
  return withDomainCheck({ search: (query) => searchWith(http, settings, query) })
}

/** Checks the domains and the number of results, because not every service obeys them. */
export function withDomainCheck({ search }: WebSearchPort): WebSearchPort {
  return {
    async search(query) {
      const { allowedDomains, blockedDomains, maxResults } = query
      const results = await search(query)
      return results
        .filter(({ url }) => {
          const { hostname } = new URL(url)
          return (allowedDomains.length === 0 || covers(allowedDomains, hostname)) && !covers(blockedDomains, hostname)
        })
        .slice(0, maxResults)
    },
  }
}

function covers(domains: readonly string[], host: string): boolean {
  return (
    judgeDomain(
      host,
      domains.flatMap((domain) => [domain, `*.${domain}`]),
    ) !== 'refused'
  )
}
