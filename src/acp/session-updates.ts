import { randomUUID } from 'node:crypto'
import type { ClientCapabilities, PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk'
import type { ToolEvent } from '../contract/events.js'
import type { Message } from '../contract/messages.js'
import type { ModelEvent } from '../contract/model/model.js'
import type { AgentInfo } from '../session/agents/agents-options.js'
import type { SessionEvent } from '../session/conversation/session-event.js'
import type { EditorSession } from './acp-host.js'
import { EditorCall } from './call-updates.js'

/** Sends an update to the editor. */
export type SendUpdate = (update: SessionUpdate) => void

/** Progress of a call is sent at most this often: editors redraw the whole call each time. */
const PROGRESS_INTERVAL_MS = 100

/** Converts the events of a session to updates for the editor. */
export class SessionUpdates {
  readonly #session: EditorSession
  readonly #send: SendUpdate
  readonly #hasNotices: boolean
  readonly #calls = new Map<string, { readonly call: EditorCall; lastProgressAt: number }>()
  #messageId = ''
  #sentPlan = '[]'

  constructor(session: EditorSession, send: SendUpdate, capabilities: ClientCapabilities) {
    this.#session = session
    this.#send = send
    this.#hasNotices = capabilities.session?.notices != null
  }

  handle(event: SessionEvent): void {
    switch (event.type) {
      case 'request-started':
        this.#messageId = randomUUID()
        break
      case 'model-event':
        this.#handleModelEvent(event.event)
        break
      case 'tool-event':
        this.#handleToolEvent(event.event)
        this.#sendPlan()
        break
      case 'message-added':
        this.#sendUsage(event)
        break
      case 'message-discarded':
        this.#endLostCalls()
        break
      case 'notice':
        this.#sendNotice(event.level, event.text)
        break
      case 'request-retried':
        this.#sendNotice('warning', `The request failed and is sent again: ${event.error.message}`)
        break
      case 'messages-rewritten':
        this.#sendNotice('info', 'The conversation was shortened to fit into the context window.')
        break
    }
  }

  /** Shows the calls of a sub-agent. Its texts are part of the result of the call that started it. */
  handleAgent(event: SessionEvent, agent: AgentInfo): void {
    if (event.type === 'tool-event') this.#handleToolEvent(event.event, agent)
  }

  /** Sends the messages of an earlier process. */
  replay(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type === 'assistant') this.#replayAnswer(message)
      else if (message.type === 'user') this.#replayUser(message)
    }
    this.#sendPlan()
  }

  /** Returns the call that a permission question is about. */
  findCall(toolUseId: string, toolName: string, input: unknown): EditorCall {
    const existing = [...this.#calls.values()].find(
      ({ call }) => call.id === toolUseId || call.id.endsWith(`/${toolUseId}`),
    )
    return existing?.call ?? this.#addCall(toolUseId, toolName, input)
  }

  #handleModelEvent(event: ModelEvent): void {
    if (event.type === 'text-delta') this.#sendText('agent_message_chunk', event.text)
    else if (event.type === 'thinking-delta') this.#sendText('agent_thought_chunk', event.text)
    else if (event.type === 'call-begun') this.#addCall(event.id, event.name, {})
  }

  /** @param agent the sub-agent that makes the call; undefined for the main conversation */
  #handleToolEvent(event: ToolEvent, agent?: Pick<AgentInfo, 'agentId' | 'toolUseId'>): void {
    if (!('toolUseId' in event)) return
    const id = agent === undefined ? event.toolUseId : `${agent.agentId}/${event.toolUseId}`
    const parentToolUseId = event.parentToolUseId ?? agent?.toolUseId
    if (event.type === 'call-queued' && !this.#calls.has(id))
      this.#addCall(id, event.toolName, event.input, parentToolUseId)
    const entry = this.#calls.get(id)
    if (entry?.call.handle(event) !== true) return
    if (event.type === 'call-progressed') {
      if (event.at - entry.lastProgressAt < PROGRESS_INTERVAL_MS) return
      entry.lastProgressAt = event.at
    }
    this.#send({ sessionUpdate: 'tool_call_update', ...entry.call.describeChange() })
    if (entry.call.hasEnded) this.#calls.delete(id)
  }

  #addCall(id: string, toolName: string, input: unknown, parentToolUseId?: string): EditorCall {
    const call = new EditorCall(id, toolName, this.#session.findTool(toolName), this.#session.cwd)
    call.setInput(input)
    this.#calls.set(id, { call, lastProgressAt: 0 })
    this.#send({
      sessionUpdate: 'tool_call',
      ...call.describe(),
      ...(parentToolUseId !== undefined && { _meta: { haft: { parentToolCallId: parentToolUseId } } }),
    })
    return call
  }

  /** Ends the calls of an answer that broke off: they never run. */
  #endLostCalls(): void {
    for (const [id, { call }] of this.#calls) {
      const content = "The model's answer broke off."
      call.end({ type: 'tool_result', tool_use_id: id, content, is_error: true })
      this.#send({ sessionUpdate: 'tool_call_update', ...call.describeChange() })
      this.#calls.delete(id)
    }
  }

  #sendText(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk', text: string): void {
    if (text === '') return
    this.#send({ sessionUpdate, content: { type: 'text', text }, messageId: this.#messageId })
  }

  #sendNotice(severity: 'info' | 'warning', title: string): void {
    if (this.#hasNotices) this.#send({ sessionUpdate: 'notice', severity, title })
    else if (severity === 'warning') this.#sendText('agent_thought_chunk', `${title}\n`)
  }

  #sendUsage({ facts: { usage } }: Extract<SessionEvent, { type: 'message-added' }>): void {
    if (usage === undefined) return
    const { contextWindow: size, costUsd } = this.#session
    const used = usage.input + usage.cacheRead + usage.cacheWrite + usage.output
    this.#send({
      sessionUpdate: 'usage_update',
      used,
      size,
      ...(costUsd !== undefined && { cost: { amount: costUsd, currency: 'USD' } }),
    })
  }

  #sendPlan(): void {
    const entries = this.#session.listTodos().map(toPlanEntry)
    const plan = JSON.stringify(entries)
    if (plan === this.#sentPlan) return
    this.#sentPlan = plan
    this.#send({ sessionUpdate: 'plan', entries })
  }

  #replayAnswer({ content }: Extract<Message, { type: 'assistant' }>): void {
    this.#messageId = randomUUID()
    for (const block of content) {
      if (block.type === 'text') this.#sendText('agent_message_chunk', block.text)
      else if (block.type === 'thinking') this.#sendText('agent_thought_chunk', block.thinking)
      else if (block.type === 'tool_use') this.#addCall(block.id, block.name, block.input)
    }
  }

  #replayUser({ content }: Extract<Message, { type: 'user' }>): void {
    this.#messageId = randomUUID()
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
    for (const block of blocks) {
      if (block.type === 'text') this.#sendText('user_message_chunk', block.text)
      else if (block.type === 'tool_result') {
        const entry = this.#calls.get(block.tool_use_id)
        entry?.call.end(block, undefined, this.#session.findShown(block))
        if (entry !== undefined) this.#send({ sessionUpdate: 'tool_call_update', ...entry.call.describeChange() })
        this.#calls.delete(block.tool_use_id)
      }
    }
  }
}

function toPlanEntry({ content, status }: { readonly content: string; readonly status: string }): PlanEntry {
  const isKnown = status === 'in_progress' || status === 'completed'
  return { content, priority: 'medium', status: isKnown ? status : 'pending' }
}
