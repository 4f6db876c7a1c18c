import type { Message } from '../../contract/messages.js'
import type { Model, ModelRequest } from '../../contract/model/model.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { reasonOf } from '../../shared/reason-of.js'
import { buildRequest, type RequestSource } from '../loop/request-answer.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import { estimateMessagesTokens, estimateTextTokens } from './message-tokens.js'

/** A part of the next request. */
interface ContextPart {
  readonly name: string
  readonly tokens: number
  /** Whether `tokens` is a share of several parts that the provider counted together, by the estimated sizes. */
  readonly isShare: boolean
  /** The tokens by tool, server or kind of content, largest first. Empty if the part is not divided. */
  readonly details: readonly { readonly name: string; readonly tokens: number }[]
}

/** The content of the next request by part. The parts add up to `tokens`, and the details of a part to its tokens. */
export interface ContextMeasure {
  readonly parts: readonly ContextPart[]
  readonly tokens: number
  readonly window: number
  /** Whether the provider counted the tokens. Otherwise they are estimated, as for compaction. */
  readonly isCounted: boolean
  /** Why the counter of the provider failed. */
  readonly countFailure?: string
}

/** Sections of a request that a provider can count separately. */
const SECTIONS = ['system', 'builtInTools', 'mcpTools', 'deferredTools', 'conversation'] as const
type Section = (typeof SECTIONS)[number]

/** Measures the next request part by part: with the counter of the provider if it has one, otherwise by estimates. */
export async function measureContext(
  source: RequestSource,
  model: Model,
  { signal }: { readonly signal: AbortSignal },
): Promise<ContextMeasure> {
  const { runtime, conversation } = source
  const definitions = await runtime.definitions(model.facts)
  const request = await buildRequest(source, definitions)
  const serversByTool = new Map(
    runtime.pool.map((tool) => [tool.name, isMcpTool(tool) ? (tool.mcpInfo?.serverName ?? 'other') : '']),
  )
  const groups = new Groups()
  const toolsBySection = { builtInTools: [], mcpTools: [], deferredTools: [] } as Record<ToolSection, ToolList>
  for (const text of request.system) groups.add('system', 'System prompt', '', estimateTextTokens(text.length))
  for (const definition of request.tools) {
    const server = serversByTool.get(definition.name) ?? ''
    const tokens = estimateTextTokens(JSON.stringify(definition).length)
    const isDeferred = definition.defer_loading === true
    const section = isDeferred ? 'deferredTools' : server === '' ? 'builtInTools' : 'mcpTools'
    toolsBySection[section].push(definition)
    groups.add(
      section,
      TOOL_GROUPS[section],
      section === 'mcpTools' ? server : definition.name,
      isDeferred ? 0 : tokens,
    )
  }
  const toolNames = new Map<string, string>()
  for (const message of await runtime.prepareMessages(conversation.messages)) addMessage(groups, message, toolNames)

  const window = model.facts.contextWindow
  try {
    const counts = await countSections(model, request, toolsBySection, signal)
    return { ...groups.toContextParts(counts), window, isCounted: counts !== undefined }
  } catch (error) {
    return { ...groups.toContextParts(undefined), window, isCounted: false, countFailure: reasonOf(error) }
  }
}

type ToolSection = Extract<Section, `${string}Tools`>
type ToolList = ModelRequest['tools'][number][]

const TOOL_GROUPS: Readonly<Record<ToolSection, string>> = {
  builtInTools: 'Built-in tools',
  mcpTools: 'MCP tools',
  deferredTools: 'Deferred tools (loaded by the provider)',
}

/** A provider counts no request without a message. */
const PROBE_MESSAGE: ModelRequest['messages'][number] = { type: 'user', content: [{ type: 'text', text: '.' }] }

/** Counts each section as the difference between two requests, the second of which also contains that section. */
async function countSections(
  model: Model,
  request: ModelRequest,
  { builtInTools, mcpTools, deferredTools }: Readonly<Record<ToolSection, ToolList>>,
  signal: AbortSignal,
): Promise<Readonly<Record<Section, number>> | undefined> {
  if (model.countTokens === undefined) return undefined
  const count = (changes: Partial<ModelRequest>): Promise<number> | undefined =>
    model.countTokens?.({ ...request, system: [], tools: [], messages: [PROBE_MESSAGE], ...changes }, { signal })
  const { system, messages } = request
  const hasProbe = messages.at(-1)?.type !== 'user'
  const loadedTools = [...builtInTools, ...mcpTools]
  const [empty = 0, withSystem = 0, withBuiltIn = 0, withMcp = 0, withTools = 0, whole = 0] = await Promise.all([
    count({}),
    count({ system }),
    count({ system, tools: builtInTools }),
    count({ system, tools: loadedTools }),
    count({ system, tools: [...loadedTools, ...deferredTools] }),
    count({ ...request, messages: hasProbe ? [...messages, PROBE_MESSAGE] : messages }),
  ])
  return {
    system: withSystem - empty,
    builtInTools: withBuiltIn - withSystem,
    mcpTools: withMcp - withBuiltIn,
    deferredTools: withTools - withMcp,
    conversation: whole - withTools + (hasProbe ? 0 : empty),
  }
}

const ATTACHMENT_NAMES: Readonly<Record<string, string>> = {
  instructions: 'Instructions (AGENTS.md, CLAUDE.md)',
  skills: 'List of skills',
  deferred_tools: 'List of deferred tools',
  summary: 'Summary of the earlier conversation',
}

function addMessage(groups: Groups, message: Message, toolNames: Map<string, string>): void {
  if (message.type === 'attachment') {
    const name = ATTACHMENT_NAMES[message.kind]
    groups.add(
      'conversation',
      name ?? 'Reminders',
      name === undefined ? message.kind : '',
      estimateMessagesTokens(toModelMessages([message])),
    )
    return
  }
  if (message.type === 'system') return
  if (typeof message.content === 'string') {
    groups.add('conversation', 'Your prompts', '', estimateMessagesTokens([message]))
    return
  }
  for (const block of message.content) {
    const tokens = estimateMessagesTokens([{ type: message.type, content: [block] } as Message])
    if (block.type === 'tool_use') toolNames.set(block.id, block.name)
    const { group, detail } =
      message.type === 'assistant' ? classifyAnswerBlock(block) : classifyPromptBlock(block, toolNames)
    groups.add('conversation', group, detail, tokens)
  }
}

type Block = Exclude<Extract<Message, { type: 'user' | 'assistant' }>['content'], string>[number]

function classifyAnswerBlock(block: Block): { group: string; detail: string } {
  if (block.type === 'tool_use') return { group: 'Calls', detail: block.name }
  return { group: block.type === 'text' ? 'Answers' : 'Reasoning', detail: '' }
}

function classifyPromptBlock(block: Block, toolNames: ReadonlyMap<string, string>): { group: string; detail: string } {
  if (block.type === 'tool_result') return { group: 'Results', detail: toolNames.get(block.tool_use_id) ?? '' }
  return { group: 'Your prompts', detail: block.type === 'text' ? '' : block.type }
}

/** The estimated tokens by section, group and detail. */
class Groups {
  readonly #sections = new Map<Section, Map<string, Map<string, number>>>()

  add(section: Section, group: string, detail: string, tokens: number): void {
    const groups = this.#sections.get(section) ?? new Map<string, Map<string, number>>()
    const details = groups.get(group) ?? new Map<string, number>()
    details.set(detail, (details.get(detail) ?? 0) + tokens)
    groups.set(group, details)
    this.#sections.set(section, groups)
  }

  /** Divides the counted tokens of each section among its groups by their estimates, which apply if nothing is counted. */
  toContextParts(counts: Readonly<Record<Section, number>> | undefined): {
    parts: readonly ContextPart[]
    tokens: number
  } {
    const parts = SECTIONS.flatMap((section): ContextPart[] => {
      const groups = [...(this.#sections.get(section) ?? [])]
      const estimates = groups.map(([, details]) => sum([...details.values()]))
      const shares = apportion(Math.max(0, counts?.[section] ?? Math.round(sum(estimates))), estimates)
      return groups.map(([name, details], index) => {
        const tokens = shares[index] ?? 0
        const detailShares = apportion(tokens, [...details.values()])
        return {
          name,
          tokens,
          isShare: counts !== undefined && groups.length > 1,
          details: [...details.keys()]
            .map((detail, detailIndex) => ({ name: detail, tokens: detailShares[detailIndex] ?? 0 }))
            .filter((detail) => details.size > 1 || detail.name !== '')
            .sort((a, b) => b.tokens - a.tokens),
        }
      })
    })
    return { parts, tokens: sum(parts.map(({ tokens }) => tokens)) }
  }
}

/** Divides a whole number in proportion to weights. The results are whole numbers and add up to it. */
function apportion(total: number, weights: readonly number[]): number[] {
  const totalWeight = sum(weights)
  const shares = weights.map((weight) => (totalWeight === 0 ? total / weights.length : (total * weight) / totalWeight))
  const results = shares.map(Math.floor)
  const byRemainder = shares.map((share, index) => ({ index, rest: share - Math.floor(share) }))
  byRemainder.sort((a, b) => b.rest - a.rest)
  const missing = total - sum(results)
  for (const { index } of byRemainder.slice(0, missing)) results[index] = (results[index] ?? 0) + 1
  return results
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
