import type { HeldCommand, MachineFacts } from './held-command.js'

const NO_NETWORK = [
  ...['network is unreachable', 'ENETUNREACH', 'could not resolve', 'temporary failure in name resolution'],
  ...['temporary failure resolving', 'name or service not known', 'EAI_AGAIN', 'ENOTFOUND', 'unable to resolve host'],
  ...['nodename nor servname provided', 'no address associated with hostname', 'failed to lookup address'],
  ...['connect: network is unreachable', 'server misbehaving', 'dns error', 'no such host'],
]
const NETWORK = new RegExp(NO_NETWORK.join('|'), 'i')
const FAMILY = /address family not supported|\bEAFNOSUPPORT\b/i
const REFUSED = /connection refused|\bECONNREFUSED\b|failed to connect|couldn't connect/i
const LOCAL_PORT = /(?:localhost|127\.0\.0\.1|::1\]?).*?(?::|\/|port )(\d{2,5})\b/i

/** Refusals of the network; inside there is none, so that every complaint about it comes from the sandbox. */
export function networkComplaints(lines: readonly string[], held: HeldCommand, facts: MachineFacts): readonly string[] {
  return lines.flatMap((line) => {
    if (NETWORK.test(line)) return [noNetwork(held)]
    if (FAMILY.test(line) && !held.allowsUnixSockets) return [NO_SOCKETS]
    return localPort(line, facts)
  })
}

const NO_SOCKETS =
  'The sandbox refused a Unix socket (of a container daemon, an agent for keys or a language server, for example); sandbox.allowUnixSockets in the settings would allow them all.'

function noNetwork({ hasProxy, proxyFault, confinement }: HeldCommand): string {
  if (proxyFault !== undefined) return `The sandbox has no network: ${proxyFault}.`
  if (hasProxy)
    return 'The sandbox has no network but its proxy, for HTTP and HTTPS to allowed domains: a program that does not use HTTP_PROXY and HTTPS_PROXY reaches nothing.'
  const how = confinement === 'workspace' ? ' Domains in sandbox.allowedDomains of the settings could be reached.' : ''
  return `The sandbox has no network.${how}`
}

function localPort(line: string, facts: MachineFacts): readonly string[] {
  const port = REFUSED.test(line) ? LOCAL_PORT.exec(line)?.[1] : undefined
  if (port === undefined || !facts.isListening(Number(port))) return []
  return [
    `The sandbox has a network of its own: what listens on port ${port} of this machine cannot be reached from inside.`,
  ]
}
