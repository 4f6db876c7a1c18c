import {
  type CompleteRequest,
  type CompleteResult,
  type GetPromptResult,
  isSpecType,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import type { ManagedServer } from '../manager/managed-server.js'
import { nameTools } from '../tools/tool-names.js'
import { requirePermission } from './require-permission.js'
import type { UpstreamResources } from './upstream-resources.js'
import {
  connectServersWith,
  getResultMeta,
  listFromAll,
  type OwnedEntry,
  type UpstreamServers,
} from './upstream-servers.js'

const NO_RESERVED_NAMES: ReadonlySet<string> = new Set()

/** The prompts of all upstream servers, with distinct names. */
export class UpstreamPrompts {
  readonly #upstream: UpstreamServers
  #byName = new Map<string, OwnedEntry<Prompt>>()

  constructor(upstream: UpstreamServers) {
    this.#upstream = upstream
  }

  async list(): Promise<ListPromptsResult> {
    const ownedPrompts = await listFromAll('prompts/list', 'prompts', isSpecType.Prompt, this.#upstream)
    this.#byName = new Map(this.#assignNames(ownedPrompts))
    return { prompts: Array.from(this.#byName, ([name, { entry }]) => ({ ...entry, name })) }
  }

  #assignNames(ownedPrompts: readonly OwnedEntry<Prompt>[]): readonly (readonly [string, OwnedEntry<Prompt>])[] {
    const servers = [...new Set(ownedPrompts.map(({ server }) => server))]
    const listPromptsOf = (server: ManagedServer) => ownedPrompts.filter((prompt) => prompt.server === server)
    const prefix = !this.#upstream.keepsNames
    const names = nameTools(
      servers.map((server) => ({
        serverName: server.name,
        toolNames: listPromptsOf(server).map(({ entry }) => entry.name),
        prefix,
      })),
      NO_RESERVED_NAMES,
    )
    return servers.flatMap((server, serverIndex) =>
      listPromptsOf(server).map((prompt, index) => [names[serverIndex]?.[index] ?? prompt.entry.name, prompt] as const),
    )
  }

  async get(
    name: string,
    args: Readonly<Record<string, string>> | undefined,
    signal: AbortSignal,
  ): Promise<GetPromptResult> {
    const { server, entry } = await this.find(name)
    const target = { prompt: entry.name, ...(args !== undefined && { arguments: args }) }
    await requirePermission(this.#upstream, { server, method: 'prompts/get', target })
    const params = { name: entry.name, ...(args !== undefined && { arguments: args }) }
    const prompt = await server.request('prompts/get', params, { signal })
    const { description } = prompt.result
    return {
      messages: prompt.entries.filter(isSpecType.PromptMessage),
      ...(typeof description === 'string' && { description }),
      ...getResultMeta(prompt),
    }
  }

  async find(name: string): Promise<OwnedEntry<Prompt>> {
    if (!this.#byName.has(name)) await this.list()
    const prompt = this.#byName.get(name)
    if (prompt !== undefined) return prompt
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown prompt ${quote(name)}. Use a name from prompts/list.`,
    )
  }
}

const NO_COMPLETIONS: CompleteResult = { completion: { values: [] } }

/** Forwards an argument completion to the server that owns the prompt or resource. */
export async function completeArgument(
  { ref, ...params }: CompleteRequest['params'],
  sources: {
    readonly prompts: UpstreamPrompts
    readonly resources: UpstreamResources
    readonly upstream: UpstreamServers
  },
  signal: AbortSignal,
): Promise<CompleteResult> {
  const { prompts, resources, upstream } = sources
  const prompt = ref.type === 'ref/prompt' ? await prompts.find(ref.name) : undefined
  const server = prompt?.server ?? (ref.type === 'ref/resource' ? await resources.findOwner(ref.uri) : undefined)
  if (server === undefined || !(await connectServersWith('completions', upstream)).includes(server))
    return NO_COMPLETIONS
  await requirePermission(upstream, {
    server,
    method: 'completion/complete',
    target: { ref, argument: params.argument },
  })
  const ownRef = prompt === undefined ? ref : { ...ref, name: prompt.entry.name }
  const { _meta, ...otherParams } = params
  const answer = await server.request('completion/complete', { ...otherParams, ref: ownRef }, { signal })
  const { completion } = answer.result
  // The SDK validates the result before it is sent.
  return isRecord(completion)
    ? { completion: completion as CompleteResult['completion'], ...getResultMeta(answer) }
    : NO_COMPLETIONS
}
