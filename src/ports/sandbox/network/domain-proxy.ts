import type { Server } from 'node:http'
import { createCheckingProxy } from '../../../system/checking-proxy.js'
import { type HostReach, type LookUpHost, reachHost } from '../../../system/reach-host.js'
import type { RefusalLog } from '../explain/refusal-log.js'

export interface DomainProxyOptions {
  readonly allowedDomains: readonly string[]
  readonly refusals: RefusalLog
  readonly lookUp?: LookUpHost
  /** The password that clients must send. Set if programs outside the sandbox can reach the proxy. */
  readonly password?: string
}

/** Creates an HTTP proxy for allowed domains. It does not listen; connections are passed to it. */
export function createDomainProxy({ allowedDomains, refusals, lookUp, password }: DomainProxyOptions): Server {
  return createCheckingProxy({
    async checkHost(host) {
      const hostReach = await reachHost(host, allowedDomains, lookUp)
      if (!hostReach.isAllowed && hostReach.reason !== 'unknown')
        refusals.add({ host: hostReach.host, reason: hostReach.reason })
      return hostReach
    },
    describeRefusal,
    ...(password !== undefined && { password }),
  })
}

function describeRefusal({ host, reason }: HostReach & { isAllowed: false }): string {
  const explanations = {
    domain: 'is not among the allowed domains',
    address: 'resolves to an address of this machine or the local network',
    unknown: 'could not be resolved',
  }
  return `haft: the sandbox refuses connections to ${host}: it ${explanations[reason]}.\n`
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
