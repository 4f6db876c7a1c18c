import type { UserMessage } from '../contract/messages.js'
import { type Model, NO_USAGE } from '../contract/model/model.js'
import type { StartedRun } from '../contract/runtime.js'
import { addMessage } from './add-message.js'
import { Spending } from './agents/spending.js'
import { Conversation } from './conversation.js'
import type { CountedMessages } from './loop/counted-messages.js'
import { query } from './loop/query.js'
import type { EndAnswer, QueryHost, TakenIn } from './loop/query-options.js'
import { promptIn } from './messages/user-request-of.js'
import { runEventHooks } from './run-event-hooks.js'
import type { EndReason, QueryEnd, SessionEvent } from './session-event.js'
import { SessionHooks } from './session-hooks.js'
import type { SessionEndReason, SessionOptions } from './session-options.js'
import type { SessionRuntime } from './session-runtime.js'
import { StopGate } from './stop-gate.js'

/** What the user says: text, or text with pictures and documents. Results of calls are not the user's to give. */
export type Prompt = UserMessage['content']

export interface SubmitOptions {
  readonly signal?: AbortSignal
  /** How many characters of a text are the user's own words: see `UserMessage`. */
  readonly ownLength?: number | undefined
}

/** A conversation of a user with a model that has tools: one prompt after the other, with the hooks around them. */
export class Session {
  readonly conversation: Conversation
  readonly runtime: SessionRuntime
  /** Of all prompts together, and of whoever else adds to it: sub-agents, summaries. */
  readonly spending: Spending
  /** Asked from the next prompt on. */
  model: Model
  readonly #options: SessionOptions
  readonly #disposal = new AbortController()
  readonly #queue: Prompt[] = []
  readonly #hooks: SessionHooks
  #isWorking = false
  #run: StartedRun | undefined
  #counted: CountedMessages | undefined
  #ending: Promise<readonly SessionEvent[]> | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.conversation = options.conversation ?? new Conversation()
    this.runtime = options.runtime
    this.model = options.model
    this.spending = options.spending ?? new Spending()
    // What a resumed conversation had loaded stays loaded.
    if (this.conversation.messages.length > 0) this.runtime.restore(this.conversation.messages)
    this.#hooks = new SessionHooks(options.runtime, this.conversation, options.source ?? 'startup')
  }

  get isWorking(): boolean {
    return this.#isWorking
  }

  /** Takes a prompt to its end. One at a time: what the user says meanwhile goes to `interject`. */
  async *submit(prompt: Prompt, { signal, ownLength }: SubmitOptions = {}): AsyncGenerator<SessionEvent, QueryEnd> {
    if (this.#isWorking) throw new Error('The session is at work on another prompt.')
    this.#isWorking = true
    this.#hooks.stop = undefined
    const controller = new AbortController()
    const unlink = linkSignals([this.#disposal.signal, ...(signal === undefined ? [] : [signal])], controller)
    try {
      yield* this.#hooks.begin(controller.signal)
      const refusal = this.#hooks.stop ?? (yield* this.#takePrompt(prompt, controller.signal, ownLength))
      if (controller.signal.aborted) return nothingDone('interrupted')
      if (refusal !== undefined) return nothingDone('stopped_by_hook', refusal)
      return yield* this.#work(controller.signal)
    } finally {
      unlink()
      this.#isWorking = false
      this.#run = undefined
    }
  }

  /** The same for who wants the end and may look at what happens on the way to it. */
  async ask(
    prompt: Prompt,
    { onEvent, ...options }: SubmitOptions & { readonly onEvent?: (event: SessionEvent) => void } = {},
  ): Promise<QueryEnd> {
    const events = this.submit(prompt, options)
    try {
      for (;;) {
        const { done, value } = await events.next()
        if (done === true) return value
        onEvent?.(value)
      }
    } finally {
      await events.return(nothingDone('interrupted'))
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
    return await this.#hooks.notify(type, message)
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
    const events = await this.#hooks.end(reason)
    await this.runtime.dispose()
    return events
  }

  async *#work(signal: AbortSignal): AsyncGenerator<SessionEvent, QueryEnd> {
    const working = query({
      ...this.#options,
      model: this.model,
      spending: this.spending,
      conversation: this.conversation,
      signal,
      host: this.#host(signal),
      ...(this.#counted !== undefined && { counted: this.#counted }),
    })
    try {
      for (;;) {
        const { done, value } = await working.next()
        if (done === true) {
          this.#counted = value.counted
          return value
        }
        yield value
        yield* this.#hooks.follow(value, signal)
      }
    } finally {
      // Who leaves early leaves a conversation that can go on.
      await working.return(nothingDone('interrupted'))
    }
  }

  #host(signal: AbortSignal): QueryHost {
    const gate = new StopGate({ hooks: this.runtime.hooks, event: 'Stop', signal })
    return {
      takeIn: () => this.#takeIn(signal),
      beforeEnd: (end) => this.#beforeEnd(end, gate, signal),
      onRun: (run) => {
        this.#run = run
      },
    }
  }

  async *#beforeEnd(
    end: { readonly text: string },
    gate: StopGate,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent, EndAnswer> {
    const { beforeEnd, notices, waitsForAgents = false } = this.#options
    if (waitsForAgents && notices !== undefined && this.#hasAgentsAtWork) {
      await notices.added(signal)
      return { type: 'go_on', messages: notices.take() }
    }
    const answer = beforeEnd === undefined ? undefined : yield* beforeEnd(end)
    return answer === undefined || answer.type === 'end' ? yield* gate.ask(end) : answer
  }

  get #hasAgentsAtWork(): boolean {
    return this.runtime.tasks.list().some(({ kind, status }) => kind === 'agent' && status === 'running')
  }

  async *#takeIn(signal: AbortSignal): AsyncGenerator<SessionEvent, TakenIn> {
    yield* this.#hooks.takeLate()
    const notices = this.#options.notices?.take() ?? []
    for (const notice of notices) yield addMessage(this.conversation, notice)
    let hasMore = notices.length > 0
    for (const prompt of this.#queue.splice(0)) {
      const refusal = yield* this.#takePrompt(prompt, signal)
      hasMore ||= refusal === undefined
      // Where the work ends with it, the end says so.
      if (refusal !== undefined && this.#hooks.stop === undefined)
        yield { type: 'notice', level: 'warning', text: refusal }
    }
    const { stop } = this.#hooks
    return { hasMore, ...(stop !== undefined && { stop }) }
  }

  #takePrompt(
    prompt: Prompt,
    signal: AbortSignal,
    ownLength?: number,
  ): AsyncGenerator<SessionEvent, string | undefined> {
    const content = typeof prompt === 'string' ? prompt : prompt.filter(({ type }) => type !== 'tool_result')
    return this.#hooks.takePrompt({ type: 'user', content, ...(ownLength !== undefined && { ownLength }) }, signal)
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
