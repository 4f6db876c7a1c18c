import {
  isSpecType,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  UriTemplate,
} from '@modelcontextprotocol/server'
import type { ManagedServer } from '../manager/managed-server.js'
import { findUpstreamError } from './call-result.js'
import { requirePermission } from './require-permission.js'
import { connectServersWith, getResultMeta, listFromAll, type UpstreamServers } from './upstream-servers.js'

/** The protocol revisions use different error codes for an unknown resource. */
const UNKNOWN_RESOURCE_CODES: ReadonlySet<number | undefined> = new Set([-32_002, ProtocolErrorCode.InvalidParams])

const MAX_LINKED_RESOURCES = 10_000

/** The resources of all upstream servers by URI. If two servers have the same URI, the first one is used. */
export class UpstreamResources {
  readonly #upstream: UpstreamServers
  readonly #owners = new Map<string, ManagedServer>()
  /** The owned URIs that are in no list, oldest first. */
  readonly #linkedUris = new Set<string>()
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
      await requirePermission(this.#upstream, { server, method: 'resources/read', target: { uri } })
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

  /** Records that a server named a resource, for example in the result of a call, so that clients can read it. */
  addOwner(uri: string, serverName: string): void {
    const server = this.#upstream.servers.get(serverName)
    if (server === undefined || this.#owners.has(uri)) return
    const [oldestUri] = this.#linkedUris
    if (oldestUri !== undefined && this.#linkedUris.size >= MAX_LINKED_RESOURCES) {
      this.#linkedUris.delete(oldestUri)
      this.#owners.delete(oldestUri)
    }
    this.#linkedUris.add(uri)
    this.#owners.set(uri, server)
  }

  /**
   * Returns the server of a resource, or the only one that has resources. A URI of an unknown resource may be a secret of one
   * server, so it is not shown to all of them.
   */
  async #findCandidates(uri: string): Promise<readonly ManagedServer[]> {
    const owner = this.#findKnownOwner(uri) ?? (await this.#findListedOwner(uri))
    const servers = await connectServersWith('resources', this.#upstream)
    if (owner !== undefined) return servers.includes(owner) ? [owner] : []
    return servers.length === 1 ? servers : []
  }

  #findKnownOwner(uri: string): ManagedServer | undefined {
    return this.#owners.get(uri) ?? this.#templates.find(({ template }) => matchesTemplate(template, uri))?.server
  }

  async #findListedOwner(uri: string): Promise<ManagedServer | undefined> {
    await Promise.all([this.list(), this.listTemplates()])
    return this.#findKnownOwner(uri)
  }
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
