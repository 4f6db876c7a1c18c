import type { UserMessage } from '../contract/messages.js'
import type { HookEvent } from '../hooks/hook-events.js'
import type { HookOutcome } from '../hooks/merge-results.js'
import { addMessage } from './add-message.js'
import type { Conversation } from './conversation.js'
import { hookContext } from './messages/hook-context.js'
import { promptIn } from './messages/user-request-of.js'
import { runEventHooks } from './run-event-hooks.js'
import type { SessionEvent } from './session-event.js'
import type { SessionEndReason, StartSource } from './session-options.js'
import type { SessionRuntime } from './session-runtime.js'

type Fields = Readonly<Record<string, unknown>>

/** The hooks around a conversation: when each event happens, what it tells, and what its answer changes. */
export class SessionHooks {
  /** Why the work is to end, for the user: a hook said so. */
  stop: string | undefined
  readonly #runtime: SessionRuntime
  readonly #conversation: Conversation
  #startSource: StartSource | undefined
  #cwd: string
  /** What hooks said that nobody waited for. */
  readonly #late: SessionEvent[] = []
  readonly #untold = new Set<Promise<unknown>>()

  constructor(runtime: SessionRuntime, conversation: Conversation, startSource: StartSource) {
    this.#runtime = runtime
    this.#conversation = conversation
    this.#startSource = startSource
    this.#cwd = runtime.cwd
  }

  /** SessionStart, where it has not been told. */
  async *begin(signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
    const source = this.#startSource
    this.#startSource = undefined
    if (source !== undefined) yield* this.#ask('SessionStart', { source }, signal)
  }

  /** Makes a prompt a part of the conversation, unless a UserPromptSubmit hook objects; gives the objection. */
  async *takePrompt(message: UserMessage, signal: AbortSignal): AsyncGenerator<SessionEvent, string | undefined> {
    const prompt = promptIn(message) ?? ''
    const { outcome, events } = await runEventHooks(this.#runtime.hooks, 'UserPromptSubmit', { prompt }, signal)
    yield* events
    this.stop ??= outcome.stop
    const refusal = outcome.stop ?? outcome.blocked ?? (outcome.cancelled ? 'Its hooks were cancelled.' : undefined)
    if (refusal !== undefined) return `The prompt was not sent. ${refusal}`
    yield addMessage(this.#conversation, message)
    yield* this.#addContext('UserPromptSubmit', outcome)
    return undefined
  }

  /** The events that follow from what has just happened. */
  async *follow(event: SessionEvent, signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
    if (event.type === 'tool-event' && event.event.type === 'permission-asked')
      this.#notifyLater('permission_prompt', event.event.message)
    if (event.type === 'message-added' && event.message.type === 'user') yield* this.#followCwd(signal)
    if (event.type === 'messages-rewritten' && event.cause === 'compaction')
      yield* this.#ask('SessionStart', { source: 'compact' }, signal)
    yield* this.takeLate()
  }

  takeLate(): readonly SessionEvent[] {
    return this.#late.splice(0)
  }

  async notify(type: string, message: string): Promise<readonly SessionEvent[]> {
    const fields = { message, notification_type: type }
    return (await runEventHooks(this.#runtime.hooks, 'Notification', fields)).events
  }

  async end(reason: SessionEndReason): Promise<readonly SessionEvent[]> {
    await Promise.all(this.#untold)
    const { events } = await runEventHooks(this.#runtime.hooks, 'SessionEnd', { reason })
    return [...this.takeLate(), ...events]
  }

  /** A question does not wait for those who are told of it. */
  #notifyLater(type: string, message: string): void {
    const told = this.notify(type, message).then((events) => {
      this.#late.push(...events)
      this.#untold.delete(told)
    })
    this.#untold.add(told)
  }

  async *#followCwd(signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
    const before = this.#cwd
    const { cwd } = this.#runtime
    if (cwd === before) return
    this.#cwd = cwd
    yield* this.#ask('CwdChanged', { old_cwd: before, new_cwd: cwd }, signal)
  }

  /** Runs hooks that can add to the conversation, or end the work. */
  async *#ask(
    event: 'SessionStart' | 'CwdChanged',
    fields: Fields,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, void> {
    const { outcome, events } = await runEventHooks(this.#runtime.hooks, event, fields, signal)
    yield* events
    this.stop ??= outcome.stop
    yield* this.#addContext(event, outcome)
  }

  *#addContext(event: HookEvent, { additionalContext }: HookOutcome): Generator<SessionEvent, void> {
    if (additionalContext.length > 0) yield addMessage(this.#conversation, hookContext(event, additionalContext))
  }
}
