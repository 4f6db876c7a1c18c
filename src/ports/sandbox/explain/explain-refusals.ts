import { resolve } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { trimEnd } from '../../../shared/trim-end.js'
import type { Mount } from '../mounts.js'
import type { SandboxConfinement } from '../sandbox-policy.js'
import type { HostRefusal } from './refusal-log.js'

/** How many refusals are reported. Later refusals are usually consequences of the first. */
const MAX_REFUSALS = 5

/** Only the end of the output is searched, because errors are usually there. */
const MAX_OUTPUT_CHARS = 200_000
const MAX_LINES = 1_000
/** Error messages are shorter, and searching a long line for paths takes long. */
const MAX_LINE_CHARS = 1_000

/** Explains what the sandbox seems to have refused and what to do. Returns nothing if the sandbox is not the likely cause. */
export function explainRefusals(
  { output, exitCode }: { readonly output: string; readonly exitCode: number | null },
  command: ConfinedCommand,
  facts: MachineFacts,
): readonly string[] {
  const lines = output
    .slice(-MAX_OUTPUT_CHARS)
    .split('\n')
    .filter(({ length }) => length <= MAX_LINE_CHARS)
    .slice(-MAX_LINES)
  const hasFailed = exitCode !== 0
  const messages = new Set([
    ...command.hosts.map(describeHostRefusal),
    ...(hasFailed ? explainNetworkErrors(lines, command, facts) : []),
    ...(hasFailed ? explainFileErrors(lines, command, facts) : []),
  ])
  return messages.size === 0 ? [] : [...[...messages].slice(0, MAX_REFUSALS), formatAdvice(command)]
}

function describeHostRefusal({ host, reason }: HostRefusal): string {
  if (reason === 'domain')
    return `The sandbox refused to reach ${host}: it is not in sandbox.allowedDomains of the settings. The user can add it there.`
  return `The sandbox refused to reach ${host}: it resolves to an address of this machine or the local network, which must be listed in sandbox.allowedDomains without a wildcard.`
}

function formatAdvice({ allowsUnsandboxed, confinement }: ConfinedCommand): string {
  if (!allowsUnsandboxed)
    return 'The settings do not allow commands outside the sandbox; find another way, or tell the user what is needed.'
  const reasonNote = confinement === 'read-only' ? ' (it was sandboxed because it seemed to be read-only)' : ''
  return `If the command needs this, run it again with dangerouslyDisableSandbox: true${reasonNote}; the user is asked first.`
}

/** The facts about a command's confinement that can explain a failure. */
export interface ConfinedCommand {
  readonly confinement: SandboxConfinement
  readonly cwd: string
  readonly writableFolders: readonly string[]
  readonly mounts: readonly Mount[]
  /** Whether everything that is not hidden is visible. Otherwise only mounts are visible. */
  readonly showsOtherFiles: boolean
  readonly hasProxy: boolean
  /** Why no domain can be reached, although the settings allow some. */
  readonly proxyFault?: string
  readonly allowsUnixSockets: boolean
  readonly allowsUnsandboxed: boolean
  /** Hosts that the proxy refused while the command ran. */
  readonly hosts: readonly HostRefusal[]
}

/** Checks what this machine would permit without a sandbox. */
export interface MachineFacts {
  canWrite(path: string): boolean
  exists(path: string): boolean
  /** Whether root can open the path only with its capabilities, because it belongs to another user. */
  needsCapabilities(path: string): boolean
  isListening(port: number): boolean
}

const READ_ONLY_ERROR = /read-only file ?system|\bEROFS\b/i
const BUSY_ERROR = /device or resource busy|resource busy or locked|\bEBUSY\b/i
const OCCUPIED_PATH_ERROR = /is a directory|file exists|\bEISDIR\b|\bEEXIST\b/i
const DENIED_ERROR = /permission denied|\bEACCES\b/i
const MISSING_FILE_ERROR = /no such file or directory|\bENOENT\b|does not exist|not found/i

/** Explains file errors that were probably caused by the sandbox and not by the machine. */
function explainFileErrors(lines: readonly string[], command: ConfinedCommand, facts: MachineFacts): readonly string[] {
  return lines.flatMap((line) => {
    if (READ_ONLY_ERROR.test(line)) return explainReadOnly(line, command, facts)
    if (BUSY_ERROR.test(line))
      return [...explainGuard(line, command, ['read-only', 'fixed-file']), ...explainPin(line, command)].slice(0, 1)
    if (OCCUPIED_PATH_ERROR.test(line)) return explainGuard(line, command, ['absent'])
    if (DENIED_ERROR.test(line)) return explainDenied(line, command, facts)
    if (MISSING_FILE_ERROR.test(line)) return explainInvisible(line, command, facts)
    return []
  })
}

function explainReadOnly(line: string, command: ConfinedCommand, facts: MachineFacts): readonly string[] {
  const paths = findMentionedPaths(line)
  const guardMessages = explainGuard(line, command, ['read-only', 'absent', 'fixed-file'])
  if (guardMessages.length > 0) return guardMessages.slice(0, 1)
  const refusedPaths = paths
    .filter((path) => path.startsWith('/'))
    .filter((path) => !command.writableFolders.some((folder) => isPathInside(path, folder)) && facts.canWrite(path))
  if (refusedPaths[0] !== undefined) return [describeNotWritable(`a write to ${refusedPaths[0]}`, command)]
  // A relative path does not show where the file is, so only the error code can be used.
  const hasOnlyRelativePaths = !paths.some((path) => path.startsWith('/'))
  return hasOnlyRelativePaths
    ? [describeNotWritable(paths[0] === undefined ? 'a write' : `a write to ${paths[0]}`, command)]
    : []
}

function describeNotWritable(attempt: string, { confinement, writableFolders }: ConfinedCommand): string {
  if (confinement === 'read-only')
    return `The sandbox refused ${attempt}: this command is read-only and can write only to $TMPDIR.`
  const folders = [...writableFolders, '$TMPDIR'].join(', ')
  return `The sandbox refused ${attempt}: only ${folders} are writable. The user can add folders to sandbox.allowWrite in the settings.`
}

/** Explains errors about protected files and about files that the settings make read-only. */
function explainGuard(line: string, command: ConfinedCommand, kinds: readonly Mount['kind'][]): string[] {
  const guardMounts = command.mounts.filter(({ kind }) => kinds.includes(kind))
  const mentionedGuard = findMentionedPaths(line)
    .map((path) => resolve(command.cwd, path))
    .find((path) => guardMounts.some((mount) => isPathInside(path, mount.path)))
  return mentionedGuard === undefined
    ? []
    : [
        `The sandbox refused a write to ${mentionedGuard}: files that could run programs later (git configuration and hooks, settings of Haft and of editors, start-up files, credentials) and those in sandbox.denyWrite cannot be changed from inside.`,
      ]
}

/** Explains why a folder that contains protected or hidden files cannot be renamed or removed. */
function explainPin(line: string, { cwd, mounts, writableFolders }: ConfinedCommand): readonly string[] {
  const pinnedFolder = findMentionedPaths(line)
    .map((path) => resolve(cwd, path))
    .find((path) => !writableFolders.includes(path) && mounts.some((mount) => mount.path === path))
  return pinnedFolder === undefined
    ? []
    : [
        `The sandbox keeps ${pinnedFolder} in its place, because it is a protected or hidden file or contains one: it cannot be renamed or removed from inside.`,
      ]
}

function explainDenied(line: string, command: ConfinedCommand, facts: MachineFacts): readonly string[] {
  const paths = findMentionedPaths(line).map((path) => resolve(command.cwd, path))
  const hiddenMounts = command.mounts.filter(({ kind }) => kind === 'hidden-file' || kind === 'hidden-folder')
  const hit = paths.find((path) => hiddenMounts.some((mount) => isPathInside(path, mount.path)))
  if (hit !== undefined)
    return [
      `The sandbox hides ${hit}: it is in sandbox.denyRead of the settings, or a rule for reading denies it or asks for it.`,
    ]
  const invisibleMessages = explainInvisible(line, command, facts)
  if (invisibleMessages.length > 0) return invisibleMessages
  const foreignPath = paths.find((path) => facts.needsCapabilities(path))
  return foreignPath === undefined
    ? []
    : [`The sandbox removes the capabilities of root, and ${foreignPath} belongs to another user.`]
}

/** Explains errors about files that exist on this machine but not in the sandbox. */
function explainInvisible(line: string, command: ConfinedCommand, facts: MachineFacts): readonly string[] {
  if (command.showsOtherFiles) return []
  const readOnlyMounts = command.mounts.filter(({ kind }) => kind === 'read-only')
  const hit = findMentionedPaths(line)
    .map((path) => resolve(command.cwd, path))
    .find((path) => !readOnlyMounts.some((mount) => isPathInside(path, mount.path)) && facts.exists(path))
  return hit === undefined
    ? []
    : [
        `The sandbox does not show ${hit}: commands that run without a question see only the working directories and installed programs. The user can add it to sandbox.allowRead in the settings.`,
      ]
}

const QUOTED_PATH = /'([^']+)'|"([^"]+)"|‘([^’]+)’|`([^`']+)['`]/g
const BARE_PATH = /[^\s'"`‘’:,;()[\]]*[/.][^\s'"`‘’:,;()[\]]*/g

/** Returns the possible paths in a line of an error message, most likely first. */
function findMentionedPaths(line: string): readonly string[] {
  const quotedPaths = [...line.matchAll(QUOTED_PATH)].map(
    (match) => match.slice(1).find((part) => part !== undefined) ?? '',
  )
  const barePaths = line.replace(QUOTED_PATH, ' ').match(BARE_PATH) ?? []
  const isPath = (text: string) => text !== '.' && text !== '..' && text !== '/' && !/^[a-z]+:\/\//i.test(text)
  return [...new Set([...quotedPaths, ...barePaths].map((text) => trimEnd(text, '/.') || text.slice(0, 1)))].filter(
    isPath,
  )
}

const NO_NETWORK_TEXTS = [
  ...['network is unreachable', 'ENETUNREACH', 'could not resolve', 'temporary failure in name resolution'],
  ...['temporary failure resolving', 'name or service not known', 'EAI_AGAIN', 'ENOTFOUND', 'unable to resolve host'],
  ...['nodename nor servname provided', 'no address associated with hostname', 'failed to lookup address'],
  ...['connect: network is unreachable', 'server misbehaving', 'dns error', 'no such host'],
]
const NO_NETWORK_ERROR = new RegExp(NO_NETWORK_TEXTS.join('|'), 'i')
const UNSUPPORTED_FAMILY = /address family not supported|\bEAFNOSUPPORT\b/i
const CONNECTION_REFUSED = /connection refused|\bECONNREFUSED\b|failed to connect|couldn't connect/i
const LOCAL_PORT = /(?:localhost|127\.0\.0\.1|::1\]?).*?(?::|\/|port )(\d{2,5})\b/i

/** Explains network errors. No confined command has direct network access, so the sandbox is assumed to be the cause. */
function explainNetworkErrors(
  lines: readonly string[],
  command: ConfinedCommand,
  facts: MachineFacts,
): readonly string[] {
  return lines.flatMap((line) => {
    if (NO_NETWORK_ERROR.test(line)) return [describeNoNetwork(command)]
    if (UNSUPPORTED_FAMILY.test(line) && !command.allowsUnixSockets) return [NO_SOCKETS_MESSAGE]
    return explainLocalPort(line, facts)
  })
}

const NO_SOCKETS_MESSAGE =
  'The sandbox refused a Unix socket (for example of a container daemon, a key agent or a language server). sandbox.allowUnixSockets in the settings would allow all of them.'

function describeNoNetwork({ hasProxy, proxyFault, confinement }: ConfinedCommand): string {
  if (proxyFault !== undefined) return `The sandbox has no network: ${proxyFault}.`
  if (hasProxy)
    return 'The sandbox has no network except a proxy for HTTP and HTTPS to allowed domains: a program must use HTTP_PROXY and HTTPS_PROXY.'
  const hint =
    confinement === 'workspace' ? ' Only domains in sandbox.allowedDomains of the settings can be reached.' : ''
  return `The sandbox has no network.${hint}`
}

function explainLocalPort(line: string, facts: MachineFacts): readonly string[] {
  const port = CONNECTION_REFUSED.test(line) ? LOCAL_PORT.exec(line)?.[1] : undefined
  if (port === undefined || !facts.isListening(Number(port))) return []
  return [
    `The sandbox has a separate network: the program that listens on port ${port} of this machine cannot be reached from inside.`,
  ]
}
