import { type McpServerEntry, type McpServerLayer, readMcpEntry } from '../../contract/mcp/server-entry.js'
import type { RuleSource } from '../../contract/permission/context.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { resolveEntry } from './resolve-entry.js'
import { type ConfiguredServer, SERVER_SOURCES, type ServerSource } from './server-config.js'

export interface GatherOptions {
  /** Servers from the settings, highest precedence first, without those that trust or policy excludes. */
  readonly layers: readonly McpServerLayer[]
  /** Servers from the host program. They override settings files, and the command line overrides them. */
  readonly library?: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The real path of the project. */
  readonly projectRoot: string
  /** Whether the user approved this project server with its current configuration. */
  readonly isApproved: (name: string, entry: McpServerEntry) => boolean
  /** Whether only servers from the managed policy are used. */
  readonly isManagedOnly?: boolean
}

/** A server that can be started, with its origin. */
export interface GatheredServer extends ConfiguredServer {
  readonly file?: string
  /** The entry before its variables were expanded, which is safe to display. */
  readonly entry: McpServerEntry
}

/** A server that cannot be started. It still hides servers of the same name from lower sources. */
interface RefusedServer {
  readonly name: string
  readonly source: ServerSource
  readonly file?: string
  readonly reason: string
  /** Whether the entry itself is invalid. That was already reported when the settings were read. */
  readonly isMalformed: boolean
}

export interface GatheredServers {
  readonly servers: readonly GatheredServer[]
  readonly refused: readonly RefusedServer[]
}

const SOURCE_NAMES: Record<RuleSource, ServerSource> = {
  policy: 'managed',
  session: 'command line',
  command: 'command line',
  cliArg: 'command line',
  flagSettings: 'command line',
  localSettings: 'local',
  projectSettings: 'project',
  userSettings: 'user',
}

interface Layer extends Omit<McpServerLayer, 'source'> {
  readonly source: ServerSource
}

class MalformedEntryError extends Error {
  override readonly name = 'MalformedEntryError'
}

/** Collects one server for each name, from the source of highest precedence that defines it. */
export function gatherServers(options: GatherOptions): GatheredServers {
  const servers: GatheredServer[] = []
  const refusedServers: RefusedServer[] = []
  const seenNames = new Set<string>()
  for (const layer of orderLayers(options)) {
    for (const [name, value] of Object.entries(layer.servers)) {
      if (seenNames.has(name)) continue
      seenNames.add(name)
      const origin = { name, source: layer.source, ...(layer.file !== undefined && { file: layer.file }) }
      try {
        servers.push({ ...origin, ...configureServer(name, value, layer, options) })
      } catch (error) {
        refusedServers.push({ ...origin, reason: reasonOf(error), isMalformed: error instanceof MalformedEntryError })
      }
    }
  }
  return { servers, refused: refusedServers }
}

function orderLayers({ layers, library, projectRoot, isManagedOnly = false }: GatherOptions): readonly Layer[] {
  const settingsLayers = layers.map((layer): Layer => ({ ...layer, source: SOURCE_NAMES[layer.source] }))
  const libraryLayers: Layer[] =
    library === undefined ? [] : [{ source: 'library', base: projectRoot, servers: library }]
  const sortedLayers = [...settingsLayers, ...libraryLayers].toSorted((a, b) => getPrecedence(b) - getPrecedence(a))
  return isManagedOnly ? sortedLayers.filter(({ source }) => source === 'managed') : sortedLayers
}

function getPrecedence({ source }: Layer): number {
  return SERVER_SOURCES.indexOf(source)
}

function configureServer(name: string, value: unknown, { source, base }: Layer, options: GatherOptions) {
  if (!/^[^\p{Cc}]{1,128}$/u.test(name))
    throw new Error(`${quote(name)} is not a valid server name: it is empty, too long or contains control characters`)
  const parsedEntry = readMcpEntry(value)
  if ('issues' in parsedEntry) throw new MalformedEntryError(formatIssues(parsedEntry.issues))
  const isProjectServer = source === 'project' || source === 'local'
  return {
    entry: parsedEntry.entry,
    config: resolveEntry(parsedEntry.entry, { variables: options.variables, base }),
    approved: !isProjectServer || options.isApproved(name, parsedEntry.entry),
    ...(isProjectServer && { project: options.projectRoot }),
  }
}

function formatIssues(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const [first] = issues
  const otherIssues = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return first === undefined
    ? 'is invalid'
    : `${first.path.map((step) => `${String(step)}: `).join('')}${first.message}${otherIssues}`
}
