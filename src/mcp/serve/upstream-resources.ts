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
import { askByElicitation } from './ask-by-elicitation.js'
import { findUpstreamError } from './call-result.js'
import { connectServersWith, getResultMeta, listFromAll, type UpstreamServers } from './upstream-servers.js'

/** The protocol revisions use different error codes for an unknown resource. */
const UNKNOWN_RESOURCE_CODES: ReadonlySet<number | undefined> = new Set([-32_002, ProtocolErrorCode.InvalidParams])

/** The resources of all upstream servers by URI. If two servers have the same URI, the first one is used. */
export class UpstreamResources {
  readonly #upstream: UpstreamServers
  readonly #owners = new Map<string, ManagedServer>()
  #templates: readonly { readonly server: ManagedServer; readonly template: string }[] = []

  constructor(upstream: UpstreamServers) {
    this.#upstream = upstream
  }

  async list(): Promise<ListResourcesResult> {
    const ownedResources = await listFromAll('resources/list', 'resources', isSpecType.Resource, this.#upstream)
    for (const { server, entry } of ownedResources.toReversed()) this.#owners.set(entry.uri, server)
    const resources = ownedResources.filter(({ server, entry }) => this.#owners.get(entry.uri) === server)
    return { resources: resources.map(({ entry }) => entry) }
  }

  async listTemplates(): Promise<ListResourceTemplatesResult> {
    const isTemplate = isSpecType.ResourceTemplate
    const ownedTemplates = await listFromAll('resources/templates/list', 'resources', isTemplate, this.#upstream)
    this.#templates = ownedTemplates.map(({ server, entry }) => ({ server, template: entry.uriTemplate }))
    return { resourceTemplates: ownedTemplates.map(({ entry }) => entry) }
  }

  async read(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    for (const server of await this.#findCandidates(uri)) {
      if (this.#upstream.mustAskAbout(server.name)) await requirePermission(server.name, uri)
      try {
        const response = await server.request('resources/read', { uri }, { signal })
        const contents = response.entries.filter(isSpecType.ResourceContents)
        return { contents: contents as ReadResourceResult['contents'], ...getResultMeta(response) }
      } catch (error) {
        if (!UNKNOWN_RESOURCE_CODES.has(findUpstreamError(error)?.code)) throw error
      }
    }
    throw new ResourceNotFoundError(uri)
  }

  async watch(uri: string, isWatched: boolean): Promise<void> {
    const server = await this.findOwner(uri)
    if (server === undefined) throw new ResourceNotFoundError(uri)
    await server.watchResource(uri, isWatched)
  }

  /** Returns the server that has a resource or template for this URI. */
  async findOwner(uri: string): Promise<ManagedServer | undefined> {
    const [server] = await this.#findCandidates(uri)
    return server
  }

  async #findCandidates(uri: string): Promise<readonly ManagedServer[]> {
    if (this.#owners.size === 0) await Promise.all([this.list(), this.listTemplates()])
    const owner =
      this.#owners.get(uri) ?? this.#templates.find(({ template }) => matchesTemplate(template, uri))?.server
    const servers = await connectServersWith('resources', this.#upstream)
    // If the owner is known, other servers must not be able to answer in its place.
    return owner !== undefined && servers.includes(owner) ? [owner] : servers
  }
}

/** Asks the user, because the permission rules also apply to resources. */
async function requirePermission(server: string, uri: string): Promise<void> {
  const message = `A permission rule requires asking before the MCP server ${server} is used.`
  const answer = await askByElicitation({
    message,
    tool: { name: 'resources/read' },
    input: { server, uri },
    suggestions: [],
  })
  if (answer.behavior === 'allow') return
  const reason =
    answer.behavior === 'unavailable'
      ? 'The client does not support elicitation, so the user was not asked.'
      : 'The user declined.'
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${message} ${reason}`)
}

function matchesTemplate(template: string, uri: string): boolean {
  if (template === uri) return true
  try {
    return new UriTemplate(template).match(uri) !== null
  } catch {
    // An invalid template matches nothing.
    return false
  }
}
