import { quote } from '../../shared/quote.js'
import type { McpConnection } from '../client/connection.js'
import { type ReadDefinitions, readDefinitions } from '../tools/read-definition.js'
import type { CachedServer } from './definition-cache.js'
import { type McpPrompt, readPrompts } from './read-prompts.js'

/** What a server has to offer, read and checked. */
export interface ServerOffer extends ReadDefinitions {
  readonly prompts: readonly McpPrompt[]
  readonly hasResources: boolean
  /** As it came, to tell whether anything changed, and to be kept. */
  readonly raw: Omit<CachedServer, 'savedAt'>
}

const LIST_LIMIT_MS = 60_000

/** Asks a server for all that it says it has. A list that it cannot give counts as empty, save that of its tools. */
export async function fetchOffer(
  name: string,
  connection: McpConnection,
  signal: AbortSignal,
  onProblem: (problem: string) => void,
): Promise<ServerOffer> {
  const { capabilities, era } = connection.info
  const options = { signal, limitMs: LIST_LIMIT_MS }
  const orNone = async (list: Promise<readonly unknown[]>, what: string): Promise<readonly unknown[]> => {
    try {
      return await list
    } catch (error) {
      if (!signal.aborted) onProblem(`The MCP server ${name} could not list its ${what}: ${quote(String(error))}`)
      return []
    }
  }
  const none: readonly unknown[] = []
  const [tools, prompts, resources, templates] = await Promise.all([
    capabilities.tools ? connection.list('tools/list', options) : none,
    capabilities.prompts ? orNone(connection.list('prompts/list', options), 'prompts') : none,
    capabilities.resources ? orNone(connection.list('resources/list', options), 'resources') : none,
    capabilities.resources ? connection.list('resources/templates/list', options).catch(() => none) : none,
  ])
  return readOffer(name, { tools, prompts, era, hasResources: resources.length + templates.length > 0 })
}

export function readOffer(name: string, raw: Omit<CachedServer, 'savedAt'>): ServerOffer {
  return { ...readDefinitions(raw.tools), prompts: readPrompts(name, raw.prompts), hasResources: raw.hasResources, raw }
}

/** Whether two offers say the same. Text compares faster than anything else here, and what is too deep to be text differs. */
export function isSameOffer(a: ServerOffer, b: ServerOffer): boolean {
  try {
    return JSON.stringify(a.raw) === JSON.stringify(b.raw)
  } catch {
    return false
  }
}
