import type { UserMessage } from '../contract/messages.js'
import { type Model, NO_USAGE } from '../contract/model/model.js'
import type { OpenRun } from '../contract/runtime.js'
import { isDoneWithin } from '../shared/waiting.js'
import { createContextKeeper } from './context/create-context-keeper.js'
import { addMessage, Conversation } from './conversation/conversation.js'
import { requireAnswer } from './conversation/no-answer-error.js'
import type { PendingNotices } from './conversation/pending-notices.js'
import { receiveMail } from './conversation/receive-mail.js'
import type { CountedMessages, EmitEvent, EndReason, QueryEnd, SessionEvent } from './conversation/session-event.js'
import type { SessionRuntime } from './conversation/session-runtime.js'
import { Spending } from './conversation/spending.js'
import {
  type FileEvent,
  type LoadedInstructions,
  type PromptExpansion,
  type SessionEndReason,
  SessionHooks,
  type SetupTrigger,
  type StartSource,
} from './hooks/session-hooks.js'
import { StopGate } from './hooks/stop-gate.js'
import { query } from './loop/query.js'
import type { EndAnswer, PendingInput, QueryHost, QueryOptions } from './loop/query-options.js'
import type { RequestSource } from './loop/request-answer.js'
import { readPrompt } from './messages/user-request-of.js'

/** How often a session that waits for teammates looks for their messages, and whether they still work. */
const TEAM_CHECK_MS = 50

/** Options of a `Session`; `runtime`, `model` and `system` are those of `query`. */
export interface SessionOptions extends Omit<QueryOptions, 'conversation' | 'signal' | 'host' | 'counted' | 'onEvent'> {
  /** A resumed conversation, or one with a log. A new one by default. */
  readonly conversation?: Conversation
  /** The instruction files that were loaded, for InstructionsLoaded hooks. */
  readonly instructionFiles?: readonly LoadedInstructions[]
  /** For SessionStart hooks, which run before the first prompt. `startup` by default. */
  readonly source?: StartSource
  /** Runs Setup hooks before the first prompt, with this reason. */
  readonly setup?: SetupTrigger | undefined
  /** Called when an answer is complete, before the Stop hooks. */
  readonly beforeEnd?: (end: { readonly text: string }, emit: EmitEvent) => Promise<EndAnswer>
  /** Background events, such as ended tasks. They are added before the next request and before the end. */
  readonly notices?: Pick<PendingNotices, 'take' | 'waitForNext' | 'isEmpty'>
  /**
   * Whether an answer is final only when all background agents and monitors have ended and the model has received their
   * results. For a session with a single prompt.
   */
  readonly waitsForAgents?: boolean
}

/** A prompt of the user: text, or text with images and documents. Results of calls are removed from it. */
export type Prompt = UserMessage['content']

/** Options of one `Session.ask`. */
export interface AskOptions {
  readonly signal?: AbortSignal
  /** How many characters of a text are the user's own words, see `UserMessage`. */
  readonly ownLength?: number | undefined
  /**
   * Receives every event as it happens. If it returns a promise, the next request waits for it. If it throws, the work is
   * interrupted and `ask` rejects with that error.
   */
  readonly onEvent?: (event: SessionEvent) => unknown
}

/** Options of `Session.compact`. */
export interface CompactOptions extends Pick<AskOptions, 'signal' | 'onEvent'> {
  /** The user's instructions for the summary, such as what to keep. */
  readonly instructions?: string
}

/** A conversation of a user with a model that has tools: one prompt after the other, with hooks around them. */
export class Session {
  readonly conversation: Conversation
  readonly runtime: SessionRuntime
  /** The usage and cost of all prompts, including sub-agents and summaries. */
  readonly spending: Spending
  /** The model of the next prompt. It may be changed between prompts; `switchModel` also runs the hooks. */
  model: Model
  /** How the model thinks before it answers, from the next request on. */
  thinking: SessionOptions['thinking']
  readonly #options: SessionOptions
  readonly #disposal = new AbortController()
  readonly #queue: Prompt[] = []
  readonly #hooks: SessionHooks
  /** Events without a listener: they are delivered with the next prompt, or returned by `dispose`. */
  readonly #undeliveredEvents: SessionEvent[] = []
  #onEvent: AskOptions['onEvent']
  /** The last delivery to a listener that returns promises. */
  #delivery: Promise<void> | undefined
  #isWorking = false
  #run: OpenRun | undefined
  #countedMessages: CountedMessages | undefined
  #ending: Promise<readonly SessionEvent[]> | undefined

  constructor(options: SessionOptions) {
    const { runtime, conversation = new Conversation(), source = 'startup', setup, instructionFiles = [] } = options
    this.#options = options
    this.conversation = conversation
    this.runtime = runtime
    this.model = options.model
    this.thinking = options.thinking
    this.spending = options.spending ?? new Spending()
    // Tools that a resumed conversation has loaded stay loaded.
    if (conversation.messages.length > 0) runtime.restore(conversation.messages)
    this.#hooks = new SessionHooks({
      runtime,
      conversation,
      instructionFiles,
      startSource: source,
      setup,
      emit: this.#emit,
    })
  }

  get isWorking(): boolean {
    return this.#isWorking
  }

  /**
   * Runs a prompt to its end. One at a time: use `interject` for further input while the session is working. Without a
   * prompt, the model continues with the notices that have arrived.
   */
  async ask(prompt: Prompt | undefined, { signal, ownLength, onEvent }: AskOptions = {}): Promise<QueryEnd> {
    if (this.#isWorking) throw new Error('The session is still working on another prompt. Use interject().')
    this.#isWorking = true
    this.#hooks.stop = undefined
    const controller = new AbortController()
    const unlink = linkSignals([this.#disposal.signal, ...(signal === undefined ? [] : [signal])], controller)
    try {
      this.#listen(onEvent)
      await this.#setTeamStatus('working')
      await this.#hooks.begin(controller.signal)
      const refusal =
        this.#hooks.stop ??
        (prompt === undefined ? undefined : await this.#addPrompt(prompt, controller.signal, ownLength))
      if (controller.signal.aborted) return createEarlyEnd('interrupted')
      if (refusal !== undefined) return createEarlyEnd('stopped_by_hook', refusal)
      return await this.#work(controller.signal)
    } finally {
      await this.#setTeamStatus('idle')
      unlink()
      this.#onEvent = undefined
      this.#delivery = undefined
      this.#isWorking = false
      this.#run = undefined
    }
  }

  /** Runs a prompt like `ask`, and returns the answer. Throws a `NoAnswerError` if there is none, which says why. */
  async askOrThrow(prompt: Prompt, options: AskOptions = {}): Promise<string> {
    return requireAnswer(await this.ask(prompt, options))
  }

  /** Whether messages of teammates wait. If the session is idle, `ask` without a prompt delivers them. */
  get hasMail(): boolean {
    return this.runtime.teams?.hasMail === true
  }

  /** Other sessions of the team see whether this one works. If the file of the team cannot be written, they do not. */
  async #setTeamStatus(status: 'working' | 'idle'): Promise<void> {
    const inbox = await this.runtime.teams?.open(undefined).catch(() => undefined)
    await inbox?.setStatus(status).catch(() => undefined)
  }

  /**
   * Adds user input while the model is working. Calls that may be cancelled are cancelled, and the input goes to the model
   * with the next request. Returns whether the input must wait until running calls have finished.
   */
  interject(prompt: Prompt): { readonly mustWait: boolean } {
    this.#queue.push(prompt)
    const text = readPrompt({ type: 'user', content: prompt })
    return this.#run?.interrupt(text) ?? { mustWait: this.#isWorking }
  }

  /** Removes and returns the interjected prompts that the model has not received, for instance after an interruption. */
  takeQueued(): readonly Prompt[] {
    return this.#queue.splice(0)
  }

  /** Replaces the conversation with a summary, as when the context window is full. Returns whether it did. */
  async compact({ signal, instructions, onEvent }: CompactOptions = {}): Promise<boolean> {
    if (this.#isWorking) throw new Error('The session is still working on a prompt.')
    this.#isWorking = true
    const controller = new AbortController()
    const unlink = linkSignals([this.#disposal.signal, ...(signal === undefined ? [] : [signal])], controller)
    try {
      this.#listen(onEvent)
      const { context = createContextKeeper() } = this.#options
      const cause = await context.keepWithinWindow({
        ...this.requestSource,
        model: this.model,
        reason: 'requested',
        ...(instructions !== undefined && { instructions }),
        counted: this.#countedMessages,
        signal: controller.signal,
        emit: this.#emit,
        onUsage: (usage) => this.spending.addRequest(usage, this.model),
      })
      if (cause === undefined) return false
      this.#countedMessages = undefined
      await this.#hooks.afterCompaction(controller.signal)
      return true
    } finally {
      unlink()
      this.#onEvent = undefined
      this.#isWorking = false
    }
  }

  /** Removes all messages but the first `count`. The effects of their calls are not undone. */
  rewind(count: number): void {
    if (this.#isWorking) throw new Error('The session is still working on a prompt.')
    this.conversation.rewrite(this.conversation.messages.slice(0, count), 'rewind')
    this.#countedMessages = undefined
  }

  /** The parts from which the requests of this conversation are built. */
  get requestSource(): RequestSource {
    const { runtime, system, maxOutputTokens, conversationId } = this.#options
    const { thinking } = this
    return {
      ...{ runtime, system, conversation: this.conversation },
      ...(thinking !== undefined && { thinking }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(conversationId !== undefined && { conversationId }),
    }
  }

  /** The provider's token count of the last answer; undefined before the first one and after a rewrite. */
  get countedMessages(): CountedMessages | undefined {
    return this.#countedMessages
  }

  /** Changes the model of later prompts, unless a PreModelSwitch hook objects. Returns the objection. */
  async switchModel(model: Model): Promise<string | undefined> {
    const fields = { from_model: this.model.id, to_model: model.id }
    const objection = await this.#hooks.ask('PreModelSwitch', fields)
    if (objection !== undefined) return objection
    this.model = model
    await this.#hooks.ask('PostModelSwitch', fields)
    return undefined
  }

  /** Runs the UserPromptExpansion hooks before a slash command becomes a prompt. Returns the objection of a hook. */
  async expanding(expansion: PromptExpansion): Promise<string | undefined> {
    return this.#hooks.ask('UserPromptExpansion', { ...expansion })
  }

  /** Runs the Notification hooks, because the user's attention is needed. Returns the events of the hooks. */
  async notify(type: string, message: string): Promise<readonly SessionEvent[]> {
    const events: SessionEvent[] = []
    await this.#hooks.notify(type, message, (event) => events.push(event))
    return events
  }

  /** Runs the FileChanged hooks. Returns the events of the hooks. */
  async fileChanged(path: string, event: FileEvent): Promise<readonly SessionEvent[]> {
    const events: SessionEvent[] = []
    await this.#hooks.fileChanged(path, event, (hookEvent) => events.push(hookEvent))
    return events
  }

  /** Runs the ConfigChange hooks. If `blocked` is set, the change should not be applied. */
  async configChanged(
    source: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly events: readonly SessionEvent[]; readonly blocked: string | undefined }> {
    const events: SessionEvent[] = []
    const blockReason = await this.#hooks.configChanged(source, fields, (event) => events.push(event))
    return { events, blocked: blockReason }
  }

  /** Ends the work, runs the SessionEnd hooks and disposes of the tools. Returns the events that no listener received. */
  async dispose(reason: SessionEndReason = 'other'): Promise<readonly SessionEvent[]> {
    this.#disposal.abort()
    this.#ending ??= this.#end(reason)
    return await this.#ending
  }

  async #end(reason: SessionEndReason): Promise<readonly SessionEvent[]> {
    const events: SessionEvent[] = []
    await this.#hooks.end(reason, (event) => events.push(event))
    await this.runtime.dispose()
    return [...this.#undeliveredEvents.splice(0), ...events]
  }

  readonly #emit: EmitEvent = (event) => {
    if (!this.#isWorking) {
      this.#undeliveredEvents.push(event)
      return
    }
    // The calls of sub-agents are counted where they run.
    if (event.type === 'tool-event' && event.agentId === undefined && event.event.type === 'call-queued')
      this.spending.addToolUse()
    const pendingDelivery = this.#onEvent?.(event)
    if (pendingDelivery instanceof Promise) {
      this.#delivery = pendingDelivery
      // The error is reported where the delivery is awaited, before the next request.
      pendingDelivery.catch(() => {})
    }
    this.#hooks.watch(event)
  }

  #listen(onEvent: AskOptions['onEvent']): void {
    this.#onEvent = onEvent
    for (const event of this.#undeliveredEvents.splice(0)) this.#emit(event)
  }

  async #work(signal: AbortSignal): Promise<QueryEnd> {
    const { thinking: _, ...options } = this.#options
    const end = await query({
      ...options,
      ...(this.thinking !== undefined && { thinking: this.thinking }),
      model: this.model,
      spending: this.spending,
      conversation: this.conversation,
      signal,
      host: this.#createHost(signal),
      onEvent: this.#emit,
      ...(this.#countedMessages !== undefined && { counted: this.#countedMessages }),
    })
    this.#countedMessages = end.counted
    await this.#hooks.afterFailure(end)
    await this.#delivery
    return end
  }

  #createHost(signal: AbortSignal): QueryHost {
    const gate = new StopGate({ hooks: this.runtime.hooks, event: 'Stop', emit: this.#emit, signal })
    return {
      addPendingInput: () => this.#addPendingInput(signal),
      beforeEnd: (end) => this.#beforeEnd(end, gate, signal),
      onRun: (run) => {
        this.#run = run
      },
      afterResults: (calls, results) => this.#hooks.afterResults({ calls, results }, signal),
      afterCompaction: () => this.#hooks.afterCompaction(signal),
    }
  }

  async #beforeEnd(end: { readonly text: string }, gate: StopGate, signal: AbortSignal): Promise<EndAnswer> {
    const { beforeEnd, notices, waitsForAgents = false } = this.#options
    if (waitsForAgents && notices !== undefined) {
      await this.#waitForNews(notices, signal)
      if (!notices.isEmpty || this.hasMail) return { type: 'continue', messages: notices.take() }
    }
    const answer = await beforeEnd?.(end, this.#emit)
    return answer === undefined || answer.type === 'end' ? gate.ask(end) : answer
  }

  /** Waits until there is something for the model, or until nothing is left to wait for. */
  async #waitForNews(notices: NonNullable<SessionOptions['notices']>, signal: AbortSignal): Promise<void> {
    const inbox = await this.runtime.teams?.open(undefined)
    const nextNotice = notices.waitForNext(signal)
    while (this.#hasAwaitedTasks && notices.isEmpty && inbox?.hasMail !== true && !signal.aborted) {
      if (inbox === undefined) await nextNotice
      else await isDoneWithin(TEAM_CHECK_MS, nextNotice, signal)
    }
  }

  /** Whether tasks are running whose results are for the model: agents that are not idle and monitors, but not other commands. */
  get #hasAwaitedTasks(): boolean {
    const tasks = this.runtime.tasks.list()
    return tasks.some(({ kind, status, isIdle }) => kind !== 'shell' && status === 'running' && isIdle !== true)
  }

  async #addPendingInput(signal: AbortSignal): Promise<PendingInput> {
    await this.#delivery
    const notices = this.#options.notices?.take() ?? []
    for (const notice of notices) addMessage({ conversation: this.conversation, emit: this.#emit }, notice)
    const inbox = await this.runtime.teams?.open(undefined)
    const hasMail =
      inbox !== undefined && (await receiveMail(inbox, { conversation: this.conversation, emit: this.#emit }))
    let hasMore = notices.length > 0 || hasMail
    for (const prompt of this.#queue.splice(0)) {
      const refusal = await this.#addPrompt(prompt, signal)
      hasMore ||= refusal === undefined
      // If the hook also ends the work, the end contains its reason.
      if (refusal !== undefined && this.#hooks.stop === undefined)
        this.#emit({ type: 'notice', level: 'warning', text: refusal })
    }
    const { stop } = this.#hooks
    return { hasMore, ...(stop !== undefined && { stop }) }
  }

  #addPrompt(prompt: Prompt, signal: AbortSignal, ownLength?: number): Promise<string | undefined> {
    const content = typeof prompt === 'string' ? prompt : prompt.filter(({ type }) => type !== 'tool_result')
    return this.#hooks.addPrompt({ type: 'user', content, ...(ownLength !== undefined && { ownLength }) }, signal)
  }
}

function createEarlyEnd(reason: EndReason, message?: string): QueryEnd {
  const end = { reason, text: '', turns: 0, usage: NO_USAGE, costUsd: 0, denials: [] }
  return message === undefined ? end : { ...end, message }
}

/** Aborts the controller with the first of the signals. Returns a function that removes the listeners. */
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
