import type { ToolEvent } from '../../../contract/events.js'
import { TOOL_SUMMARY_MAX_LENGTH } from '../../../contract/limits.js'
import type { Message } from '../../../contract/messages.js'
import type { Model, ModelRequest } from '../../../contract/model/model.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { shortenText } from '../../../shared/cut-text.js'
import { isRecord } from '../../../shared/is-record.js'
import type { ConversationLog } from '../../conversation/conversation.js'
import type { MessageFacts } from '../../conversation/session-event.js'
import { describeRewrite } from '../storage/rewrite-parts.js'
import { type ShownResult, showCancellation, showRefusal, showResult } from '../storage/shown-result.js'
import type { CallTrace, TranscriptEntry } from '../storage/transcript-entry.js'
import { CallRecord, type StepTimes } from './call-record.js'
import { RequestRecorder } from './request-recorder.js'

/** Finds the tool of a call, for its views. */
export type FindTool = (name: string) => Tool | undefined

/** The parts that the writers of all agents of a session share. */
export interface WriterParts {
  readonly write: (entry: TranscriptEntry) => void
  readonly findTool: FindTool
  readonly stepTimes: StepTimes
}

interface PendingCall {
  readonly toolName: string
  /** Written with `call-started` if the message with the call is not written by then. */
  readonly input: unknown
  readonly queuedAt: number
  readonly record: CallRecord
  isAsked?: boolean
  isAllowed?: boolean
  /** The user's answer if they refused the call. */
  refusal?: { readonly answer: string | undefined }
}

/** Records the conversation of one agent: its messages and the progress of its calls. */
export class ConversationWriter implements ConversationLog {
  readonly #write: (entry: TranscriptEntry) => void
  readonly #findTool: FindTool
  readonly #stepTimes: StepTimes
  readonly #requests: RequestRecorder
  /** Position of each message in the list. Weak, so that removed messages can be garbage-collected. */
  #indices = new WeakMap<Message, number>()
  #count = 0
  #spokenCount = 0
  /** Ids of the calls in the last assistant message written. */
  #writtenCallIds = new Set<string>()
  readonly #calls = new Map<string, PendingCall>()

  constructor({ write, findTool, stepTimes }: WriterParts) {
    this.#write = write
    this.#findTool = findTool
    this.#stepTimes = stepTimes
    this.#requests = new RequestRecorder(write)
  }

  /** Continues a file that contains these messages. Unreadable messages are undefined. */
  continueFrom(messages: readonly (Message | undefined)[]): void {
    this.#count = messages.length
    this.#spokenCount = messages.filter(isSpoken).length
    for (const [index, message] of messages.entries()) if (message !== undefined) this.#indices.set(message, index)
  }

  messageAdded(message: Message, facts: MessageFacts): void {
    const hasFacts = facts.model !== undefined || facts.usage !== undefined
    this.#indices.set(message, this.#count++)
    if (isSpoken(message)) this.#spokenCount++
    const counts = { count: this.#count, spoken: this.#spokenCount }
    const head = { type: 'message-added', from: message.type, ...counts, at: Date.now() } as const
    this.#write({ ...head, ...(hasFacts && { facts }), message })
    if (message.type !== 'assistant') return
    this.#writtenCallIds = new Set(message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
  }

  requestSent(request: ModelRequest, model: Model): void {
    this.#requests.requestSent(request, model)
  }

  messagesRewritten(messages: readonly Message[], cause: string): void {
    const { parts, messages: addedMessages } = describeRewrite(messages, (message) => this.#indices.get(message))
    this.#indices = new WeakMap()
    for (const [index, message] of messages.entries()) this.#indices.set(message, index)
    this.#count = messages.length
    this.#spokenCount = messages.filter(isSpoken).length
    const counts = { count: this.#count, spoken: this.#spokenCount }
    this.#write({ type: 'messages-rewritten', cause, ...counts, at: Date.now(), parts, messages: addedMessages })
  }

  onToolEvent(event: ToolEvent): void {
    if (event.type === 'mode-entered') return
    if (event.type === 'call-queued') this.#calls.set(event.toolUseId, createPendingCall(event))
    else this.#calls.get(event.toolUseId)?.record.add(event)
    if (event.parentToolUseId === undefined) this.#writeOwn(event)
    else this.#writeNested(event, event.parentToolUseId)
  }

  #writeOwn(event: Exclude<ToolEvent, { type: 'mode-entered' }>): void {
    if (event.type === 'call-started') this.#onStarted(event.toolUseId, event.at)
    else if (event.type === 'permission-asked') this.#onAsked(event.toolUseId, event.at)
    else if (event.type === 'permission-decided') this.#onDecided(event)
    else if (event.type === 'call-ended') {
      const { toolUseId, at, result, errorCode } = event
      const call = this.#calls.get(toolUseId)
      const shown = call === undefined ? undefined : this.#show(call, event)
      this.#calls.delete(toolUseId)
      const head = { type: 'call-ended', toolUseId, at, ...(errorCode !== undefined && { errorCode }) } as const
      this.#write({ ...head, ...this.#traceOf(call, toolUseId), ...(shown !== undefined && { shown }), result })
    }
  }

  #writeNested(event: ToolEvent, parentToolUseId: string): void {
    if (event.type === 'call-started') {
      const { toolUseId, at } = event
      const { toolName = '', input } = this.#calls.get(toolUseId) ?? {}
      this.#write({ type: 'nested-call-started', toolUseId, parentToolUseId, at, toolName, input })
    } else if (event.type === 'call-ended') {
      const { toolUseId, at, result, errorCode } = event
      const trace = this.#traceOf(this.#calls.get(toolUseId), toolUseId)
      this.#calls.delete(toolUseId)
      const head = { type: 'nested-call-ended', toolUseId, parentToolUseId, at } as const
      this.#write({ ...head, ...(errorCode !== undefined && { errorCode }), ...trace, result })
    }
  }

  #traceOf(call: PendingCall | undefined, toolUseId: string): { readonly trace?: CallTrace } {
    const steps = this.#stepTimes.take(toolUseId)
    return call === undefined ? {} : { trace: call.record.toTrace(steps) }
  }

  #show(
    { toolName, refusal }: PendingCall,
    { output, errorCode, result }: Extract<ToolEvent, { type: 'call-ended' }>,
  ): ShownResult | undefined {
    if (errorCode === 'cancelled') return showCancellation()
    if (refusal !== undefined && errorCode !== undefined) return showRefusal(refusal.answer, result)
    return showResult(this.#findTool(toolName), output)
  }

  #onStarted(toolUseId: string, at: number): void {
    const call = this.#calls.get(toolUseId)
    const isInMessage = this.#writtenCallIds.has(toolUseId)
    const head = { type: 'call-started', toolUseId, at, toolName: call?.toolName ?? '' } as const
    const facts = call && { queuedAt: call.queuedAt, ...summarise(this.#findTool(call.toolName), call.input) }
    this.#write({ ...head, ...facts, ...(!isInMessage && call !== undefined && { input: call.input }) })
  }

  /** Records that the user was asked. Questions from inside a running call are ignored, because the call itself was allowed. */
  #onAsked(toolUseId: string, at: number): void {
    const call = this.#calls.get(toolUseId)
    if (call === undefined || call.isAllowed === true || call.isAsked === true) return
    call.isAsked = true
    this.#write({ type: 'call-asked', toolUseId, at })
  }

  #onDecided({ toolUseId, at, behavior, reason }: Extract<ToolEvent, { type: 'permission-decided' }>): void {
    const call = this.#calls.get(toolUseId)
    if (call === undefined) return
    if (behavior !== 'allow') {
      call.refusal = { answer: reason.type === 'person' ? reason.text : undefined }
      return
    }
    if (call.isAsked === true && call.isAllowed !== true) this.#write({ type: 'call-allowed', toolUseId, at })
    call.isAllowed = true
  }
}

function createPendingCall({ toolName, input, at }: Extract<ToolEvent, { type: 'call-queued' }>): PendingCall {
  return { toolName, input, queuedAt: at, record: new CallRecord(at) }
}

/** Returns the summary that the tool gives for a call; nothing if it has none or fails. */
function summarise(tool: Tool | undefined, input: unknown): { readonly summary?: string } {
  try {
    const summary = isRecord(input) ? tool?.getToolUseSummary?.(input) : undefined
    if (typeof summary !== 'string' || summary.trim() === '') return {}
    return { summary: shortenText(summary.replace(/\s+/g, ' ').trim(), TOOL_SUMMARY_MAX_LENGTH) }
  } catch {
    // Only the summary is missing.
    return {}
  }
}

function isSpoken(message: Message | undefined): boolean {
  return message?.type === 'user' || message?.type === 'assistant'
}
