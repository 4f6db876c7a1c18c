import { resolve } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import type { Mount } from '../mounts.js'
import type { HeldConfinement } from '../sandbox-policy.js'
import type { HostRefusal } from './refusal-log.js'

/** More would be noise: the first refusals usually cause the others. */
const MAX_REFUSALS = 5

/** Errors come at the end of the output. */
const MAX_OUTPUT = 200_000

/** Explains what the sandbox seems to have refused, and what to do. Empty if the sandbox is not the likely cause. */
export function explainRefusals(
  { output, exitCode }: { readonly output: string; readonly exitCode: number | null },
  held: HeldCommand,
  facts: MachineFacts,
): readonly string[] {
  const lines = output.slice(-MAX_OUTPUT).split('\n')
  const failed = exitCode !== 0
  const found = new Set([
    ...held.hosts.map(hostRefusal),
    ...(failed ? networkComplaints(lines, held, facts) : []),
    ...(failed ? fileComplaints(lines, held, facts) : []),
  ])
  return found.size === 0 ? [] : [...[...found].slice(0, MAX_REFUSALS), wayOut(held)]
}

function hostRefusal({ host, reason }: HostRefusal): string {
  if (reason === 'domain')
    return `The sandbox refused to reach ${host}: it is not in sandbox.allowedDomains of the settings, where the user could add it.`
  return `The sandbox refused to reach ${host}: it leads to an address of this machine or its network, which sandbox.allowedDomains would have to name in full.`
}

function wayOut({ allowsUnsandboxed, confinement }: HeldCommand): string {
  if (!allowsUnsandboxed)
    return 'The settings let no command leave the sandbox; find another way, or tell the user what is needed.'
  const why = confinement === 'read-only' ? ' (it was held because it looked as if it only read)' : ''
  return `If the command cannot do without this, run it again with dangerouslyDisableSandbox: true${why}; the user is asked first.`
}

/** The confinement of a command, as far as it can explain a failure. */
export interface HeldCommand {
  readonly confinement: HeldConfinement
  readonly cwd: string
  readonly writable: readonly string[]
  readonly mounts: readonly Mount[]
  readonly hasProxy: boolean
  /** Why no domain can be reached although the settings allow some. */
  readonly proxyFault?: string
  readonly allowsUnixSockets: boolean
  readonly allowsUnsandboxed: boolean
  /** Hosts that the proxy refused while the command ran. */
  readonly hosts: readonly HostRefusal[]
}

/** What the machine would permit without a sandbox. */
export interface MachineFacts {
  canWrite(path: string): boolean
  /** Only root could open it, through its capabilities. */
  needsPowers(path: string): boolean
  isListening(port: number): boolean
}

const READ_ONLY = /read-only file ?system|\bEROFS\b/i
const BUSY = /device or resource busy|resource busy or locked|\bEBUSY\b/i
const OCCUPIED = /is a directory|file exists|\bEISDIR\b|\bEEXIST\b/i
const DENIED = /permission denied|\bEACCES\b/i

/** File errors that the sandbox, not the machine, has probably caused. */
function fileComplaints(lines: readonly string[], held: HeldCommand, facts: MachineFacts): readonly string[] {
  return lines.flatMap((line) => {
    if (READ_ONLY.test(line)) return readOnlyComplaint(line, held, facts)
    if (BUSY.test(line)) return guardComplaint(line, held, 'read-only')
    if (OCCUPIED.test(line)) return guardComplaint(line, held, 'absent')
    if (DENIED.test(line)) return deniedComplaint(line, held, facts)
    return []
  })
}

function readOnlyComplaint(line: string, held: HeldCommand, facts: MachineFacts): readonly string[] {
  const named = mentionedPaths(line)
  const guarded = guardComplaint(line, held, 'read-only').concat(guardComplaint(line, held, 'absent'))
  if (guarded.length > 0) return guarded.slice(0, 1)
  const refused = named
    .filter((path) => path.startsWith('/'))
    .filter((path) => !held.writable.some((folder) => isPathInside(path, folder)) && facts.canWrite(path))
  if (refused[0] !== undefined) return [notWritable(`a write to ${refused[0]}`, held)]
  // A relative name does not say where the file is, so only the kernel's error code is available.
  const isVague = !named.some((path) => path.startsWith('/'))
  return isVague ? [notWritable(named[0] === undefined ? 'a write' : `a write to ${named[0]}`, held)] : []
}

function notWritable(what: string, { confinement, writable }: HeldCommand): string {
  if (confinement === 'read-only')
    return `The sandbox refused ${what}: this command ran where nothing can be written but $TMPDIR.`
  const folders = [...writable, '$TMPDIR'].join(', ')
  return `The sandbox refused ${what}: only ${folders} can be written. sandbox.allowWrite in the settings would add a folder.`
}

/** Protected files, and files that the settings make read-only. */
function guardComplaint(line: string, held: HeldCommand, kind: Mount['kind']): string[] {
  const guards = held.mounts.filter((mount) => mount.kind === kind)
  const hit = mentionedPaths(line)
    .map((path) => resolve(held.cwd, path))
    .find((path) => guards.some((mount) => isPathInside(path, mount.path)))
  return hit === undefined
    ? []
    : [
        `The sandbox refused a write to ${hit}: files that could run programs later (git configuration and hooks, settings of Haft and of editors, start-up files, credentials) and those in sandbox.denyWrite cannot be changed from inside.`,
      ]
}

function deniedComplaint(line: string, held: HeldCommand, facts: MachineFacts): readonly string[] {
  const paths = mentionedPaths(line).map((path) => resolve(held.cwd, path))
  const hidden = held.mounts.filter(({ kind }) => kind === 'hidden-file' || kind === 'hidden-folder')
  const hit = paths.find((path) => hidden.some((mount) => isPathInside(path, mount.path)))
  if (hit !== undefined) return [`The sandbox hides ${hit}: it is in sandbox.denyRead of the settings.`]
  const needing = paths.find((path) => facts.needsPowers(path))
  return needing === undefined ? [] : [`The sandbox takes root's powers away, and ${needing} belongs to another user.`]
}

const QUOTED = /'([^']+)'|"([^"]+)"|‘([^’]+)’|`([^`']+)['`]/g
const BARE = /[^\s'"`‘’:,;()[\]]*[/.][^\s'"`‘’:,;()[\]]*/g

/** Possible paths in a line of an error message, the most likely first. */
function mentionedPaths(line: string): readonly string[] {
  const quoted = [...line.matchAll(QUOTED)].map((match) => match.slice(1).find((part) => part !== undefined) ?? '')
  const bare = line.replace(QUOTED, ' ').match(BARE) ?? []
  const isPath = (text: string) => text !== '.' && text !== '..' && text !== '/' && !/^[a-z]+:\/\//i.test(text)
  return [...new Set([...quoted, ...bare].map((text) => text.replace(/(?<=.)[/.]+$/, '')))].filter(isPath)
}

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

/** Network errors. The sandbox has no network, so every such error comes from it. */
function networkComplaints(lines: readonly string[], held: HeldCommand, facts: MachineFacts): readonly string[] {
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
