import type { Ports } from '../../contract/ports/index.js'
import { OnDemand } from './on-demand.js'

export interface NetworkPortsOptions {
  /** Hosts that may be fetched although they have private addresses. */
  readonly allowedPrivateHosts?: readonly string[] | undefined
  /** The environment variables that name proxies. */
  readonly proxyVariables: Readonly<Record<string, string | undefined>>
}

/** The ports that connect to other machines. */
export interface NetworkPorts {
  readonly ports: Pick<Ports, 'http'>
  dispose(): Promise<void>
}

/** Code is loaded on first use. */
export function createNetworkPorts({ allowedPrivateHosts = [], proxyVariables }: NetworkPortsOptions): NetworkPorts {
  const http = new OnDemand(async () => {
    const { createHttpPort } = await import('../../ports/http/create-http-port.js')
    return createHttpPort({ allowedPrivateHosts, variables: proxyVariables })
  })
  return {
    ports: { http: { fetch: async (url, request) => (await http.open()).fetch(url, request) } },
    dispose: async () => (await http.getIfRequested())?.dispose(),
  }
}
