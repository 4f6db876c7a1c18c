import { cutText } from '../../../shared/cut-text.js'
import { isRecord } from '../../../shared/is-record.js'
import { toPrintable } from '../../../shared/printable.js'
import { quoteForShell } from '../../../shared/quote.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, ExitError, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'

const MAX_RESULTS = 20
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const TIME_LIMIT_MS = 20_000
const MAX_DESCRIPTION_CHARS = 200

interface RegistryServer {
  readonly name: string
  readonly version: string
  readonly description: string
  /** How to add it: the arguments of `haft mcp add` after the name; undefined if the registry does not say. */
  readonly target?: string
}

/** Searches a registry of MCP servers, with the API of the official one. */
export async function runSearch(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    json: { type: 'boolean', default: false },
    registry: { type: 'string' },
  })
  if (positionals.length === 0) throw new UsageError('missing words to search for: haft mcp search QUERY.')
  const registry = values.registry ?? io.variables.HAFT_MCP_REGISTRY
  if (registry === undefined || registry === '')
    throw new UsageError('no registry is configured. Set HAFT_MCP_REGISTRY to its URL, or use --registry URL.')
  const servers = await searchRegistry(registry, positionals.join(' '))
  io.out(values.json ? `${JSON.stringify(servers, null, 2)}\n` : formatServers(servers))
  return servers.length === 0 ? EXIT.failed : EXIT.done
}

async function searchRegistry(registry: string, query: string): Promise<readonly RegistryServer[]> {
  if (!URL.canParse(registry) || !/^https?:$/.test(new URL(registry).protocol))
    throw new UsageError('the registry must be an http or https URL.')
  const url = new URL(`${registry.replace(/\/+$/, '')}/v0/servers`)
  url.searchParams.set('search', query)
  url.searchParams.set('limit', String(MAX_RESULTS))
  url.searchParams.set('version', 'latest')
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIME_LIMIT_MS), redirect: 'error' })
    if (!response.ok) throw new Error(`HTTP ${response.status} ${response.statusText}`.trim())
    const answer: unknown = JSON.parse(await readLimited(response))
    const entries = isRecord(answer) && Array.isArray(answer.servers) ? answer.servers : undefined
    if (entries === undefined) throw new Error('the answer has no list of servers')
    return entries.flatMap((entry) => readServer(entry) ?? []).slice(0, MAX_RESULTS)
  } catch (error) {
    throw new ExitError(EXIT.failed, `the registry ${registry} did not answer: ${reasonOf(error)}.`)
  }
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads an entry. Older registries list servers directly, newer ones beside metadata. */
function readServer(entry: unknown): RegistryServer | undefined {
  const server = isRecord(entry) && isRecord(entry.server) ? entry.server : entry
  if (!isRecord(server) || typeof server.name !== 'string') return undefined
  const { name, description, version } = server
  const target = findTarget(server)
  return {
    name,
    version: typeof version === 'string' ? version : '',
    description: typeof description === 'string' ? cutText(description, MAX_DESCRIPTION_CHARS) : '',
    ...(target !== undefined && { target }),
  }
}

function findTarget({ remotes, packages }: Readonly<Record<string, unknown>>): string | undefined {
  const remote = toList(remotes).find(({ url }) => typeof url === 'string')
  if (remote !== undefined) return quoteForShell(String(remote.url))
  return toList(packages)
    .map(toCommand)
    .find((command) => command !== undefined)
}

function toList(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Returns the command that runs a package of npm or PyPI. */
function toCommand({ identifier, version, registryType, registry_type }: Readonly<Record<string, unknown>>) {
  if (typeof identifier !== 'string') return undefined
  const hasVersion = typeof version === 'string' && version !== ''
  const kind = registryType ?? registry_type
  if (kind === 'npm') return `-- npx -y ${quoteForShell(hasVersion ? `${identifier}@${version}` : identifier)}`
  if (kind === 'pypi') return `-- uvx ${quoteForShell(hasVersion ? `${identifier}==${version}` : identifier)}`
  return undefined
}

function formatServers(servers: readonly RegistryServer[]): string {
  if (servers.length === 0) return 'No server found.\n'
  return servers.map(formatServer).join('')
}

function formatServer({ name, version, description, target }: RegistryServer): string {
  const shortName = (name.split('/').at(-1) ?? name).replace(/[^A-Za-z0-9_-]/g, '-').slice(0, 64)
  const advice = target === undefined ? [] : [`  haft mcp add ${shortName} ${target}`]
  return [`${name} ${version}`.trim(), `  ${description}`, ...advice].map((line) => `${toPrintable(line)}\n`).join('')
}
