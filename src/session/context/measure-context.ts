import type { Message } from '../../contract/messages.js'
import type { Model } from '../../contract/model/model.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { buildRequest, type RequestSource } from '../loop/request-answer.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import { estimateMessagesTokens, estimateTextTokens } from './message-tokens.js'

/** A part of the next request. */
interface ContextPart {
  readonly name: string
  readonly tokens: number
  /** The tokens by tool, server or kind of content, largest first. Empty if the part is not divided. */
  readonly details: readonly { readonly name: string; readonly tokens: number }[]
}

/** The content of the next request by part. The parts add up to `tokens`. */
export interface ContextMeasure {
  readonly parts: readonly ContextPart[]
  readonly tokens: number
  readonly window: number
}

/** Measures the next request part by part, with the same estimate that triggers compaction. */
export async function measureContext(source: RequestSource, model: Model): Promise<ContextMeasure> {
  const { runtime, conversation } = source
  const definitions = await runtime.definitions(model.facts)
  const request = await buildRequest(source, definitions)
  const serversByTool = new Map(
    runtime.pool.map((tool) => [tool.name, isMcpTool(tool) ? (tool.mcpInfo?.serverName ?? 'other') : '']),
  )
  const groups = new Groups()
  for (const text of request.system) groups.add('System prompt', '', estimateTextTokens(text.length))
  for (const definition of request.tools) {
    const server = serversByTool.get(definition.name) ?? ''
    const tokens = estimateTextTokens(JSON.stringify(definition).length)
    if (definition.defer_loading === true) groups.add('Deferred tools (loaded by the provider)', definition.name, 0)
    else if (server === '') groups.add('Built-in tools', definition.name, tokens)
    else groups.add('MCP tools', server, tokens)
  }
  const toolNames = new Map<string, string>()
  for (const message of await runtime.prepareMessages(conversation.messages)) addMessage(groups, message, toolNames)
  const parts = groups.parts
  return { parts, tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0), window: model.facts.contextWindow }
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
      name ?? 'Reminders',
      name === undefined ? message.kind : '',
      estimateMessagesTokens(toModelMessages([message])),
    )
    return
  }
  if (message.type === 'system') return
  if (typeof message.content === 'string') {
    groups.add('Your prompts', '', estimateMessagesTokens([message]))
    return
  }
  for (const block of message.content) {
    const tokens = estimateMessagesTokens([{ type: message.type, content: [block] } as Message])
    if (block.type === 'tool_use') toolNames.set(block.id, block.name)
    const { group, detail } =
      message.type === 'assistant' ? classifyAnswerBlock(block) : classifyPromptBlock(block, toolNames)
    groups.add(group, detail, tokens)
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

class Groups {
  readonly #groups = new Map<string, Map<string, number>>()

  add(group: string, detail: string, tokens: number): void {
    const details = this.#groups.get(group) ?? new Map<string, number>()
    details.set(detail, (details.get(detail) ?? 0) + tokens)
    this.#groups.set(group, details)
  }

  get parts(): readonly ContextPart[] {
    return [...this.#groups].map(([name, details]) => ({
      name,
      tokens: Math.round([...details.values()].reduce((sum, tokens) => sum + tokens, 0)),
      details: [...details]
        .filter(([detail]) => detail !== '')
        .map(([detail, tokens]) => ({ name: detail, tokens: Math.round(tokens) }))
        .sort((a, b) => b.tokens - a.tokens),
    }))
  }
}
