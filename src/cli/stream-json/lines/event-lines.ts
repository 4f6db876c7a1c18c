import type { HookReported, ToolEvent, UserMessaged } from '../../../contract/events.js'
import type { Message } from '../../../contract/messages.js'
import type { SessionEvent } from '../../../session/conversation/session-event.js'
import { readTeamMessage } from '../../../session/messages/team-messages.js'
import type { OutputBody } from '../schema/output-schema.js'
import { MessageLines, toAssistantLine, toResultLine } from './message-lines.js'
import { PartialMessages } from './partial-messages.js'

export interface EventLinesOptions {
  readonly hasPartialMessages: boolean
  /** Whether the lines that only Haft has are written. */
  readonly hasEvents: boolean
  readonly hasHookEvents: boolean
  /** Whether texts of sub-agents are written, and not only their calls. Default: true. */
  readonly forwardsAgentText?: boolean
  /** If this is `stdio`, `DriverQuestions` writes the permission_asked lines. */
  readonly permissionPromptTool?: string | undefined
}

/** Converts session events to output lines. */
export class EventLines {
  readonly #options: EventLinesOptions
  readonly #agent: { readonly agentId: string; readonly toolUseId: string } | undefined
  readonly #partialMessages = new PartialMessages()
  /** The tool names of running calls. */
  readonly #calls = new Map<string, string>()
  readonly #messageLines = new MessageLines()
  #model = ''

  /** @param agent the sub-agent of the events; undefined for the main conversation */
  constructor(options: EventLinesOptions, agent?: { readonly agentId: string; readonly toolUseId: string }) {
    this.#options = options
    this.#agent = agent
  }

  linesOf(event: SessionEvent): readonly OutputBody[] {
    switch (event.type) {
      case 'request-started':
        this.#model = event.model
        return []
      case 'model-event':
        return this.#options.hasPartialMessages ? this.#partialMessages.convert(event.event).map(toStreamEventLine) : []
      case 'message-added':
        return [
          ...this.#onlyHere(toTeamLines(event.message).map((line) => ({ ...line, ...this.#agentField }))),
          ...this.#messageLines.linesOf(event.message, event.facts, {
            lastModel: this.#model,
            parent: this.#agent?.toolUseId ?? null,
            hasText: this.#agent === undefined || (this.#options.forwardsAgentText ?? true),
          }),
        ]
      case 'message-discarded':
        return this.#onlyHere([
          { type: 'system', subtype: 'message_discarded', reason: event.reason, ...this.#agentField },
        ])
      case 'request-retried':
        return [{ ...toRetryLine(event), ...this.#agentField }]
      case 'model-changed': {
        const { from, to, reason } = event
        return this.#onlyHere([{ type: 'system', subtype: 'model_changed', from, to, reason, ...this.#agentField }])
      }
      case 'messages-rewritten':
        if (event.cause === 'compaction') return [{ ...toCompactionLine(event), ...this.#agentField }]
        return this.#onlyHere([{ ...toClearingLine(event), ...this.#agentField }])
      case 'notice':
        return [toNoticeLine(event.level, event.text)]
      case 'hook-reported':
        return this.#hookLines(toHookLine(event.report))
      case 'tool-event':
        return this.#formatToolEvent(
          event.event,
          event.agentId === undefined ? this.#agentField : agentFieldOf(event.agentId),
        )
    }
  }

  get #agentField(): { readonly agent_id?: string } {
    return agentFieldOf(this.#agent?.agentId)
  }

  /** Returns lines that only Haft has, if they are wanted. */
  #onlyHere(lines: readonly OutputBody[]): readonly OutputBody[] {
    return this.#options.hasEvents ? lines : []
  }

  #hookLines(line: OutputBody): readonly OutputBody[] {
    return this.#options.hasEvents || this.#options.hasHookEvents ? [line] : []
  }

  #formatToolEvent(event: ToolEvent, agent: { readonly agent_id?: string }): readonly OutputBody[] {
    if (event.type === 'call-ended' && event.parentToolUseId === undefined) this.#messageLines.addOutput(event)
    const ownLines = this.#onlyHere([{ type: 'system', subtype: 'tool_event', event: withoutPayload(event), ...agent }])
    return [...ownLines, ...this.#formatNestedCall(event), ...this.#formatCallEvent(event, agent)]
  }

  /**
   * Formats a call that another call made. It is not part of a message, so it gets its own lines, like the calls of a
   * sub-agent.
   */
  #formatNestedCall(event: ToolEvent): readonly OutputBody[] {
    if (event.type === 'mode-entered' || event.parentToolUseId === undefined) return []
    const { parentToolUseId: parent_tool_use_id, toolUseId: id } = event
    if (event.type === 'call-queued') {
      const content = [{ type: 'tool_use' as const, id, name: event.toolName, input: event.input }]
      return [toAssistantLine({ model: this.#model, content }, parent_tool_use_id)]
    }
    return event.type === 'call-ended' ? [toResultLine(event.result, parent_tool_use_id, event.output)] : []
  }

  #formatCallEvent(event: ToolEvent, agent: { readonly agent_id?: string }): readonly OutputBody[] {
    if (event.type === 'call-queued') this.#calls.set(event.toolUseId, event.toolName)
    if (event.type === 'call-ended') this.#calls.delete(event.toolUseId)
    if (event.type === 'mode-entered') return []
    const tool_name = this.#calls.get(event.toolUseId)
    const call = { tool_use_id: event.toolUseId, ...(tool_name !== undefined && { tool_name }), ...agent }
    if (event.type === 'permission-asked' && this.#options.permissionPromptTool !== 'stdio')
      return this.#onlyHere([{ type: 'system', subtype: 'permission_asked', ...call, message: event.message }])
    if (event.type === 'user-messaged') return [{ ...toUserMessageLine(event), ...call }]
    if (event.type === 'permission-decided' && event.behavior === 'deny') {
      const { type: decision_reason_type, text } = event.reason
      const reason = { reason: event.reason, decision_reason_type, decision_reason: text, message: text }
      return [{ type: 'system', subtype: 'permission_denied', tool_name: '', ...call, ...reason }]
    }
    if (event.type === 'hook-reported' && event.forUser !== undefined)
      return [...this.#hookLines({ ...toHookLine(event), ...call }), toNoticeLine('warning', event.forUser)]
    return []
  }
}

function toStreamEventLine(event: Extract<OutputBody, { type: 'stream_event' }>['event']): OutputBody {
  return { type: 'stream_event', event, parent_tool_use_id: null }
}

function toHookLine({ hookEvent, hook, outcome, message }: Omit<HookReported, 'type' | 'toolUseId' | 'at'>) {
  const optionalFields = message === undefined ? {} : { message }
  return { type: 'system', subtype: 'hook_reported', hook_event: hookEvent, hook, outcome, ...optionalFields } as const
}

function toUserMessageLine({ text, files }: UserMessaged) {
  return {
    ...({ type: 'system', subtype: 'user_message' } as const),
    ...(text !== undefined && { text }),
    attachments: files.map(({ path, bytes, base64 }) => ({ path, bytes, ...(base64 !== undefined && { base64 }) })),
  }
}

function toNoticeLine(level: 'info' | 'warning', text: string): OutputBody {
  return { type: 'system', subtype: 'informational', level, content: text }
}

function agentFieldOf(agent_id: string | undefined): { readonly agent_id?: string } {
  return agent_id === undefined ? {} : { agent_id }
}

function toTeamLines(message: Message): readonly OutputBody[] {
  const teamMessage = readTeamMessage(message)
  if (teamMessage === undefined) return []
  const { id: message_id, team, from, to, kind, text } = teamMessage
  return [{ type: 'system', subtype: 'team_message', message_id, team, from, to, kind, text }]
}

function toRetryLine({ attempt, delayMs, error }: Extract<SessionEvent, { type: 'request-retried' }>): OutputBody {
  const { kind, status = null, message } = error
  return {
    ...({ type: 'system', subtype: 'api_retry' } as const),
    ...{ attempt, retry_delay_ms: delayMs, error: kind, error_status: status, message },
  }
}

type Rewrite = Extract<SessionEvent, { type: 'messages-rewritten' }>

function toClearingLine({ tokensBefore, tokensAfter }: Rewrite): OutputBody {
  return { type: 'system', subtype: 'results_cleared', pre_tokens: tokensBefore, post_tokens: tokensAfter }
}

function toCompactionLine({ tokensBefore, tokensAfter }: Rewrite): OutputBody {
  const compact_metadata = { trigger: 'auto', pre_tokens: tokensBefore, post_tokens: tokensAfter } as const
  return { type: 'system', subtype: 'compact_boundary', compact_metadata }
}

/** Removes input, output and result, which other lines contain, and progress that cannot be serialised. */
function withoutPayload(event: ToolEvent): { readonly type: string; readonly [field: string]: unknown } {
  const { input, result, output, progress, files, ...otherFields } = event as ToolEvent &
    Record<'input' | 'result' | 'output' | 'progress' | 'files', unknown>
  try {
    return { ...otherFields, ...(progress !== undefined && { progress: JSON.parse(JSON.stringify(progress)) }) }
  } catch {
    // The progress cannot be serialised.
    return otherFields
  }
}
