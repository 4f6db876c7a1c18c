/** The proxy settings of the environment variables. Unset ones are empty strings. */
export interface Proxies {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/** Reads the usual variables; the spelling in lower case takes precedence. Undefined if no proxy is configured. */
export function readProxies(variables: Readonly<Record<string, string | undefined>>): Proxies | undefined {
  const read = (name: string) => variables[name] || variables[name.toUpperCase()] || ''
  const httpsProxy = read('https_proxy') || read('all_proxy')
  const httpProxy = read('http_proxy') || read('all_proxy')
  if (httpsProxy === '' && httpProxy === '') return undefined
  return { httpProxy, httpsProxy, noProxy: read('no_proxy') }
}

/** Returns the HTTP proxy for a host; undefined if it is reached directly. */
export function findProxyFor(proxies: Proxies | undefined, host: string, isSecure: boolean): URL | undefined {
  if (proxies === undefined || isExcluded(proxies.noProxy, host)) return undefined
  const text = isSecure ? proxies.httpsProxy : proxies.httpProxy
  const url = text.includes('://') ? text : `http://${text}`
  return text !== '' && URL.canParse(url) ? new URL(url) : undefined
}

/**
 * Whether a host is reached without a proxy. Entries such as `example.com`, `.example.com` and `*.example.com` also cover the
 * subdomains.
 */
function isExcluded(noProxy: string, host: string): boolean {
  const entries = noProxy.toLowerCase().split(/[\s,]+/)
  return entries.some((entry) => {
    if (entry === '*') return true
    const domain = entry.replace(/:\d+$/, '').replace(/^\*?\./, '')
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
  })
}
