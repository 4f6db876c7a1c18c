import { type McpServerEntry, type McpServerLayer, readMcpEntry } from '../../contract/mcp/server-entry.js'
import type { RuleSource } from '../../contract/permission/context.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { resolveEntry } from './resolve-entry.js'
import { type ConfiguredServer, SERVER_SOURCES, type ServerSource } from './server-config.js'

export interface GatherOptions {
  /** The servers of settings, highest source first, without those that trust or policy keep out. */
  readonly layers: readonly McpServerLayer[]
  /** Servers that the host program itself names; stronger than every file, weaker than the command line. */
  readonly library?: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The real path of the project. */
  readonly projectRoot: string
  /** Whether the person approved this server of the project, as it is written now. */
  readonly isApproved: (name: string, entry: McpServerEntry) => boolean
  /** True where policy lets nobody else name a server. */
  readonly isManagedOnly?: boolean
}

/** A server that can be started, with what a person needs to know it again. */
export interface GatheredServer extends ConfiguredServer {
  readonly file?: string
  /** Before variables were filled in: what may be shown. */
  readonly written: McpServerEntry
}

/** A server that cannot be started, and why. Weaker sources do not step in under its name. */
interface RefusedServer {
  readonly name: string
  readonly source: ServerSource
  readonly file?: string
  readonly reason: string
  /** Wrong as it is written, of which whoever reads settings has told already. */
  readonly isMalformed: boolean
}

export interface GatheredServers {
  readonly servers: readonly GatheredServer[]
  readonly refused: readonly RefusedServer[]
}

const SOURCES: Record<RuleSource, ServerSource> = {
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

/** One server for each name, from the highest source that has it. */
export function gatherServers(options: GatherOptions): GatheredServers {
  const servers: GatheredServer[] = []
  const refused: RefusedServer[] = []
  const taken = new Set<string>()
  for (const layer of orderedLayers(options)) {
    for (const [name, value] of Object.entries(layer.servers)) {
      if (taken.has(name)) continue
      taken.add(name)
      const place = { name, source: layer.source, ...(layer.file !== undefined && { file: layer.file }) }
      try {
        servers.push({ ...place, ...configured(name, value, layer, options) })
      } catch (error) {
        refused.push({ ...place, reason: reasonOf(error), isMalformed: error instanceof MalformedEntryError })
      }
    }
  }
  return { servers, refused }
}

function orderedLayers({ layers, library, projectRoot, isManagedOnly = false }: GatherOptions): readonly Layer[] {
  const named = layers.map((layer): Layer => ({ ...layer, source: SOURCES[layer.source] }))
  const own: Layer[] = library === undefined ? [] : [{ source: 'library', base: projectRoot, servers: library }]
  const all = [...named, ...own].toSorted((a, b) => strengthOf(b) - strengthOf(a))
  return isManagedOnly ? all.filter(({ source }) => source === 'managed') : all
}

function strengthOf({ source }: Layer): number {
  return SERVER_SOURCES.indexOf(source)
}

function configured(name: string, value: unknown, { source, base }: Layer, options: GatherOptions) {
  if (!/^[^\p{Cc}]{1,128}$/u.test(name))
    throw new Error(`${quote(name)} cannot be the name of a server: it is empty, too long or holds control characters`)
  const read = readMcpEntry(value)
  if ('issues' in read) throw new MalformedEntryError(issueText(read.issues))
  const isOfProject = source === 'project' || source === 'local'
  return {
    written: read.entry,
    config: resolveEntry(read.entry, { variables: options.variables, base }),
    approved: !isOfProject || options.isApproved(name, read.entry),
    ...(isOfProject && { project: options.projectRoot }),
  }
}

function issueText(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  const [first] = issues
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return first === undefined
    ? 'is wrong'
    : `${first.path.map((step) => `${String(step)}: `).join('')}${first.message}${more}`
}
