import type { UserMessage } from '../contract/messages.js'
import { addUsage, type Model, type ModelUsage, NO_USAGE } from '../contract/model.js'
import type { StartedRun } from '../contract/runtime.js'
import type { HookEvent } from '../hooks/hook-events.js'
import type { HookOutcome } from '../hooks/merge-results.js'
import { addMessage } from './add-message.js'
import { Conversation } from './conversation.js'
import { query } from './loop/query.js'
import type { QueryHost, TakenIn } from './loop/query-options.js'
import { hookContext } from './messages/hook-context.js'
import { promptIn } from './messages/user-request-of.js'
import { runEventHooks } from './run-event-hooks.js'
import type { EndReason, QueryEnd, SessionEvent } from './session-event.js'
import type { SessionEndReason, SessionOptions, StartSource } from './session-options.js'
import type { SessionRuntime } from './session-runtime.js'
import { StopGate } from './stop-gate.js'

/** What the user says: text, or text with pictures and documents. */
export type Prompt = UserMessage['content']

/** A conversation of a user with a model that has tools: one prompt after the other, with the hooks around them. */
export class Session {
  readonly conversation: Conversation
  readonly runtime: SessionRuntime
  /** Asked from the next prompt on. */
  model: Model
  readonly #options: SessionOptions
  readonly #disposal = new AbortController()
  readonly #queue: Prompt[] = []
  /** What hooks said that nobody waited for. */
  readonly #late: SessionEvent[] = []
  readonly #untold = new Set<Promise<unknown>>()
  #startSource: StartSource | undefined
  #isWorking = false
  #run: StartedRun | undefined
  #stop: string | undefined
  #cwd: string
  #usage = NO_USAGE
  #lastUsage: ModelUsage | undefined
  #costUsd: number | undefined = 0
  #ending: Promise<readonly SessionEvent[]> | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.conversation = options.conversation ?? new Conversation()
    this.runtime = options.runtime
    this.model = options.model
    this.#startSource = options.source ?? 'startup'
    this.#cwd = options.runtime.cwd
  }

  /** Of all prompts together. */
  get usage(): ModelUsage {
    return this.#usage
  }

  /** Undefined where the prices of a model are not known. */
  get costUsd(): number | undefined {
    return this.#costUsd
  }

  get isWorking(): boolean {
    return this.#isWorking
  }

  /** Takes a prompt to its end. One at a time: what the user says meanwhile goes to `interject`. */
  async *submit(
    prompt: Prompt,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionEvent, QueryEnd> {
    if (this.#isWorking) throw new Error('The session is at work on another prompt.')
    this.#isWorking = true
    this.#stop = undefined
    const controller = new AbortController()
    const unlink = linkSignals([this.#disposal.signal, ...(signal === undefined ? [] : [signal])], controller)
    try {
      yield* this.#begin(controller.signal)
      const refusal = this.#stop ?? (yield* this.#takePrompt(prompt, controller.signal))
      if (controller.signal.aborted) return nothingDone('interrupted')
      if (refusal !== undefined) return nothingDone('stopped_by_hook', refusal)
      return yield* this.#work(controller.signal)
    } finally {
      unlink()
      this.#isWorking = false
      this.#run = undefined
    }
  }

  /**
   * The user speaks while the model is at work: calls that may be cancelled are, and the words go to the model with the
   * next request. Tells whether they have to wait for calls that finish first.
   */
  interject(prompt: Prompt): { readonly mustWait: boolean } {
    this.#queue.push(prompt)
    const text = promptIn({ type: 'user', content: prompt })
    return this.#run?.interrupt(text) ?? { mustWait: this.#isWorking }
  }

  /** What the user said and the model has not heard, for instance because the work was stopped before. */
  takeQueued(): readonly Prompt[] {
    return this.#queue.splice(0)
  }

  /** Tells the Notification hooks that the user's attention is wanted. */
  async notify(type: string, message: string): Promise<readonly SessionEvent[]> {
    return await this.#tellHooks('Notification', { message, notification_type: type })
  }

  /** Tells the ConfigChange hooks that settings have changed. Where they object, the change should not be taken over. */
  async configChanged(
    source: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly events: readonly SessionEvent[]; readonly blocked: string | undefined }> {
    const { outcome, events } = await runEventHooks(this.runtime.hooks, 'ConfigChange', { ...fields, source })
    return { events, blocked: outcome.blocked ?? outcome.stop }
  }

  /** Ends the work, tells the SessionEnd hooks, and ends the tools. Gives what hooks said that nobody heard yet. */
  async dispose(reason: SessionEndReason = 'other'): Promise<readonly SessionEvent[]> {
    this.#disposal.abort()
    this.#ending ??= this.#end(reason)
    return await this.#ending
  }

  async #end(reason: SessionEndReason): Promise<readonly SessionEvent[]> {
    await Promise.all(this.#untold)
    const events = await this.#tellHooks('SessionEnd', { reason })
    await this.runtime.dispose()
    return [...this.#late.splice(0), ...events]
  }

  async *#work(signal: AbortSignal): AsyncGenerator<SessionEvent, QueryEnd> {
    const { maxBudgetUsd, ...rest } = this.#options
    const left = maxBudgetUsd === undefined ? undefined : Math.max(0, maxBudgetUsd - (this.#costUsd ?? 0))
    const working = query({
      ...rest,
      model: this.model,
      conversation: this.conversation,
      signal,
      host: this.#host(signal),
      ...(left !== undefined && { maxBudgetUsd: left }),
      ...(this.#lastUsage !== undefined && { lastUsage: this.#lastUsage }),
    })
    try {
      for (;;) {
        const { done, value } = await working.next()
        if (done === true) return this.#count(value)
        yield value
        yield* this.#follow(value, signal)
      }
    } finally {
      // Who leaves early leaves a conversation that can go on.
      await working.return(nothingDone('interrupted'))
    }
  }

  #count(end: QueryEnd): QueryEnd {
    this.#usage = addUsage(this.#usage, end.usage)
    const { costUsd } = end
    this.#costUsd = costUsd === undefined || this.#costUsd === undefined ? undefined : this.#costUsd + costUsd
    this.#lastUsage = end.lastUsage
    return end
  }

  #host(signal: AbortSignal): QueryHost {
    const gate = new StopGate({ hooks: this.runtime.hooks, event: 'Stop', signal })
    return {
      takeIn: () => this.#takeIn(signal),
      beforeEnd: (end) => gate.ask(end),
      onRun: (run) => {
        this.#run = run
      },
    }
  }

  async *#takeIn(signal: AbortSignal): AsyncGenerator<SessionEvent, TakenIn> {
    yield* this.#late.splice(0)
    let hasMore = false
    for (const prompt of this.#queue.splice(0)) {
      const refusal = yield* this.#takePrompt(prompt, signal)
      hasMore ||= refusal === undefined
    }
    return { hasMore, ...(this.#stop !== undefined && { stop: this.#stop }) }
  }

  /** What else follows from an event. */
  async *#follow(event: SessionEvent, signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
    if (event.type === 'tool-event' && event.event.type === 'permission-asked') {
      this.#notifyLater('permission_prompt', event.event.message)
    }
    if (event.type === 'message-added' && event.message.type === 'user') yield* this.#followCwd(signal)
    if (event.type === 'messages-rewritten' && event.cause === 'compaction') {
      this.#startSource = 'compact'
      yield* this.#begin(signal)
    }
    yield* this.#late.splice(0)
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
    const { cwd } = this.runtime
    if (cwd === before) return
    this.#cwd = cwd
    yield* this.#askHooks('CwdChanged', { old_cwd: before, new_cwd: cwd }, signal)
  }

  async *#begin(signal: AbortSignal): AsyncGenerator<SessionEvent, void> {
    const source = this.#startSource
    this.#startSource = undefined
    if (source !== undefined) yield* this.#askHooks('SessionStart', { source }, signal)
  }

  /** Makes a prompt a part of the conversation, unless a hook objects; gives the objection. */
  async *#takePrompt(prompt: Prompt, signal: AbortSignal): AsyncGenerator<SessionEvent, string | undefined> {
    const message: UserMessage = { type: 'user', content: prompt }
    const { hooks } = this.runtime
    const fields = { prompt: promptIn(message) ?? '' }
    const { outcome, events } = await runEventHooks(hooks, 'UserPromptSubmit', fields, signal)
    yield* events
    this.#stop ??= outcome.stop
    const refusal = outcome.stop ?? outcome.blocked ?? (outcome.cancelled ? 'Its hooks were cancelled.' : undefined)
    if (refusal !== undefined) {
      yield { type: 'notice', level: 'warning', text: `The prompt was not sent. ${refusal}` }
      return refusal
    }
    yield addMessage(this.conversation, message)
    yield* this.#addContext('UserPromptSubmit', outcome)
    return undefined
  }

  /** Runs hooks that can add to the conversation, or end the work. */
  async *#askHooks(
    event: 'SessionStart' | 'CwdChanged',
    fields: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, void> {
    const { outcome, events } = await runEventHooks(this.runtime.hooks, event, fields, signal)
    yield* events
    this.#stop ??= outcome.stop
    yield* this.#addContext(event, outcome)
  }

  *#addContext(event: HookEvent, { additionalContext }: HookOutcome): Generator<SessionEvent, void> {
    if (additionalContext.length > 0) yield addMessage(this.conversation, hookContext(event, additionalContext))
  }

  async #tellHooks(
    event: 'Notification' | 'SessionEnd',
    fields: Readonly<Record<string, unknown>>,
  ): Promise<readonly SessionEvent[]> {
    return (await runEventHooks(this.runtime.hooks, event, fields)).events
  }
}

function nothingDone(reason: EndReason, message?: string): QueryEnd {
  const end = { reason, text: '', turns: 0, usage: NO_USAGE, costUsd: 0, denials: [] }
  return message === undefined ? end : { ...end, message }
}

/** Aborts with the first of the signals; gives the function that lets go of them. */
function linkSignals(signals: readonly AbortSignal[], controller: AbortController): () => void {
  const abort = () => controller.abort()
  for (const signal of signals) {
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  }
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', abort)
  }
}
