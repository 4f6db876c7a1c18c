import {
  type GetPromptResult,
  isSpecType,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { quote } from '../../shared/quote.js'
import type { ManagedServer } from '../manager/managed-server.js'
import { nameTools } from '../manager/name-tools.js'
import { type Behind, listOfAll, metaOf, type OwnedEntry } from './behind.js'

const NOTHING: ReadonlySet<string> = new Set()

/** The prompts of all servers behind, by names that are distinct. */
export class PassedPrompts {
  readonly #behind: Behind
  #byName = new Map<string, OwnedEntry<Prompt>>()

  constructor(behind: Behind) {
    this.#behind = behind
  }

  async list(): Promise<ListPromptsResult> {
    const owned = await listOfAll('prompts/list', 'prompts', isSpecType.Prompt, this.#behind)
    this.#byName = new Map(this.#named(owned))
    return { prompts: Array.from(this.#byName, ([name, { entry }]) => ({ ...entry, name })) }
  }

  #named(owned: readonly OwnedEntry<Prompt>[]): readonly (readonly [string, OwnedEntry<Prompt>])[] {
    const servers = [...new Set(owned.map(({ server }) => server))]
    const of = (server: ManagedServer) => owned.filter((prompt) => prompt.server === server)
    const prefix = !this.#behind.keepsNames
    const names = nameTools(
      servers.map((server) => ({
        serverName: server.name,
        toolNames: of(server).map(({ entry }) => entry.name),
        prefix,
      })),
      NOTHING,
    )
    return servers.flatMap((server, at) =>
      of(server).map((prompt, index) => [names[at]?.[index] ?? prompt.entry.name, prompt] as const),
    )
  }

  async get(
    name: string,
    args: Readonly<Record<string, string>> | undefined,
    signal: AbortSignal,
  ): Promise<GetPromptResult> {
    const { server, entry } = await this.find(name)
    const params = { name: entry.name, ...(args !== undefined && { arguments: args }) }
    const got = await server.request('prompts/get', params, { signal })
    const { description } = got.result
    return {
      messages: got.entries.filter(isSpecType.PromptMessage),
      ...(typeof description === 'string' && { description }),
      ...metaOf(got),
    }
  }

  async find(name: string): Promise<OwnedEntry<Prompt>> {
    if (!this.#byName.has(name)) await this.list()
    const found = this.#byName.get(name)
    if (found !== undefined) return found
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${quote(name)}.`)
  }
}
