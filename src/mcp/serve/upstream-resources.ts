import {
  isSpecType,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  UriTemplate,
} from '@modelcontextprotocol/server'
import type { ManagedServer } from '../manager/managed-server.js'
import { askAboutCall } from './ask-by-elicitation.js'
import { answeredError } from './call-result.js'
import { type Behind, listOfAll, metaOf, serversWith } from './upstream-servers.js'

/** Answers by which a server says that it does not know a resource. */
const UNKNOWN: ReadonlySet<number | undefined> = new Set([-32_002, ProtocolErrorCode.InvalidParams])

/** The resources of all servers behind, by their own addresses; of two servers that have the same the first is asked. */
export class PassedResources {
  readonly #behind: Behind
  readonly #owners = new Map<string, ManagedServer>()
  #templates: readonly { readonly server: ManagedServer; readonly template: string }[] = []

  constructor(behind: Behind) {
    this.#behind = behind
  }

  async list(): Promise<ListResourcesResult> {
    const owned = await listOfAll('resources/list', 'resources', isSpecType.Resource, this.#behind)
    for (const { server, entry } of owned.toReversed()) this.#owners.set(entry.uri, server)
    const resources = owned.filter(({ server, entry }) => this.#owners.get(entry.uri) === server)
    return { resources: resources.map(({ entry }) => entry) }
  }

  async listTemplates(): Promise<ListResourceTemplatesResult> {
    const isTemplate = isSpecType.ResourceTemplate
    const owned = await listOfAll('resources/templates/list', 'resources', isTemplate, this.#behind)
    this.#templates = owned.map(({ server, entry }) => ({ server, template: entry.uriTemplate }))
    return { resourceTemplates: owned.map(({ entry }) => entry) }
  }

  async read(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    for (const server of await this.#candidates(uri)) {
      if (this.#behind.asksAbout(server.name)) await allowReading(server.name, uri)
      try {
        const read = await server.request('resources/read', { uri }, { signal })
        const contents = read.entries.filter(isSpecType.ResourceContents)
        return { contents: contents as ReadResourceResult['contents'], ...metaOf(read) }
      } catch (error) {
        if (!UNKNOWN.has(answeredError(error)?.code)) throw error
      }
    }
    throw new ResourceNotFoundError(uri)
  }

  async watch(uri: string, isWatched: boolean): Promise<void> {
    const server = await this.ownerOf(uri)
    if (server === undefined) throw new ResourceNotFoundError(uri)
    await server.watchResource(uri, isWatched)
  }

  /** Who has a resource or a template of this address. */
  async ownerOf(uri: string): Promise<ManagedServer | undefined> {
    const [server] = await this.#candidates(uri)
    return server
  }

  async #candidates(uri: string): Promise<readonly ManagedServer[]> {
    if (this.#owners.size === 0) await Promise.all([this.list(), this.listTemplates()])
    const owner = this.#owners.get(uri) ?? this.#templates.find(({ template }) => isOf(template, uri))?.server
    const others = await serversWith('resources', this.#behind)
    // What is one server's is no business of the others, which could answer in its place.
    return owner !== undefined && others.includes(owner) ? [owner] : others
  }
}

/** Resources are no tools, and come under the same rules. */
async function allowReading(server: string, uri: string): Promise<void> {
  const message = `A rule wants to be asked about the MCP server ${server}.`
  const answer = await askAboutCall({
    message,
    tool: { name: 'resources/read' },
    input: { server, uri },
    suggestions: [],
  })
  if (answer.behavior === 'allow') return
  const why = answer.behavior === 'nobody' ? 'Nobody can be asked here.' : 'The user said no.'
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${message} ${why}`)
}

function isOf(template: string, uri: string): boolean {
  if (template === uri) return true
  try {
    return new UriTemplate(template).match(uri) !== null
  } catch {
    // A template that is none fits nothing.
    return false
  }
}
