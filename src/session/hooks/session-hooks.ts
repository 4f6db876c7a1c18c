import type { UserMessage } from '../../contract/messages.js'
import type { HookOutcome } from '../../hooks/answer/merge-results.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import { addMessage, type Conversation } from '../conversation/conversation.js'
import type { EmitEvent, SessionEvent } from '../conversation/session-event.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import { createHookContext } from '../messages/attachments.js'
import { readPrompt } from '../messages/user-request-of.js'
import { runEventHooks } from './run-event-hooks.js'

/** Why a session starts, for SessionStart hooks. */
export type StartSource = 'startup' | 'resume' | 'clear' | 'compact'

/** Why a session ends, for SessionEnd hooks. */
export type SessionEndReason = 'clear' | 'logout' | 'prompt_input_exit' | 'other'

export interface SessionHooksOptions {
  readonly runtime: SessionRuntime
  readonly conversation: Conversation
  readonly startSource: StartSource
  readonly emit: EmitEvent
}

/** Runs the hooks of a session: builds the payload of each event, and applies the outcome to the conversation. */
export class SessionHooks {
  /** The reason that a hook gave for ending the prompt; undefined if none did. */
  stop: string | undefined
  readonly #runtime: SessionRuntime
  readonly #target: { readonly conversation: Conversation; readonly emit: EmitEvent }
  #startSource: StartSource | undefined
  #cwd: string
  readonly #notifications = new Set<Promise<void>>()

  constructor({ runtime, conversation, startSource, emit }: SessionHooksOptions) {
    this.#runtime = runtime
    this.#target = { conversation, emit }
    this.#startSource = startSource
    this.#cwd = runtime.cwd
  }

  /** Runs SessionStart before the first prompt. */
  async begin(signal: AbortSignal): Promise<void> {
    const source = this.#startSource
    this.#startSource = undefined
    if (source !== undefined) await this.#run('SessionStart', { source }, signal)
  }

  async afterCompaction(signal: AbortSignal): Promise<void> {
    await this.#run('SessionStart', { source: 'compact' }, signal)
  }

  /** Runs CwdChanged if calls have changed the working directory. */
  async afterResults(signal: AbortSignal): Promise<void> {
    const cwdBefore = this.#cwd
    const { cwd } = this.#runtime
    if (cwd === cwdBefore) return
    this.#cwd = cwd
    await this.#run('CwdChanged', { old_cwd: cwdBefore, new_cwd: cwd }, signal)
  }

  /** Adds a prompt to the conversation, unless a UserPromptSubmit hook refuses it. Returns the refusal. */
  async addPrompt(message: UserMessage, signal: AbortSignal): Promise<string | undefined> {
    const prompt = readPrompt(message) ?? ''
    const outcome = await this.#runHooks('UserPromptSubmit', { prompt }, signal)
    const { stop, blocked, cancelled } = outcome
    this.stop ??= stop
    const refusal = stop ?? blocked ?? (cancelled ? 'The UserPromptSubmit hooks were cancelled.' : undefined)
    if (refusal !== undefined) return `The prompt was not sent. ${refusal}`
    addMessage(this.#target, message)
    this.#addContext('UserPromptSubmit', outcome)
    return undefined
  }

  /** Runs Notification when the user is asked for a permission. The question does not wait for the hooks. */
  watch(event: SessionEvent): void {
    if (event.type !== 'tool-event' || event.event.type !== 'permission-asked') return
    const notification = this.notify('permission_prompt', event.event.message).then(() => {
      this.#notifications.delete(notification)
    })
    this.#notifications.add(notification)
  }

  async notify(type: string, message: string, emit = this.#target.emit): Promise<void> {
    await runEventHooks(this.#runtime.hooks, 'Notification', { message, notification_type: type }, { emit })
  }

  /** Returns the objection of ConfigChange hooks, if there is one. */
  async configChanged(source: string, fields: Fields, emit: EmitEvent): Promise<string | undefined> {
    const { hooks } = this.#runtime
    const { blocked, stop } = await runEventHooks(hooks, 'ConfigChange', { ...fields, source }, { emit })
    return blocked ?? stop
  }

  async end(reason: SessionEndReason, emit: EmitEvent): Promise<void> {
    await Promise.all(this.#notifications)
    await runEventHooks(this.#runtime.hooks, 'SessionEnd', { reason }, { emit })
  }

  /** Runs hooks that can add to the conversation or end the work. */
  async #run(event: 'SessionStart' | 'CwdChanged', fields: Fields, signal: AbortSignal): Promise<void> {
    const outcome = await this.#runHooks(event, fields, signal)
    this.stop ??= outcome.stop
    this.#addContext(event, outcome)
  }

  #runHooks(event: HookEvent, fields: Fields, signal: AbortSignal): Promise<HookOutcome> {
    return runEventHooks(this.#runtime.hooks, event, fields, { emit: this.#target.emit, signal })
  }

  #addContext(event: HookEvent, { additionalContext }: HookOutcome): void {
    if (additionalContext.length > 0) addMessage(this.#target, createHookContext(event, additionalContext))
  }
}

type Fields = Readonly<Record<string, unknown>>
