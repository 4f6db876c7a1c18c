import { basename } from 'node:path'
import type { ToolResultBlock, ToolUseBlock, UserMessage } from '../../contract/messages.js'
import type { HookOutcome } from '../../hooks/answer/merge-results.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import type { HookFields } from '../../hooks/config/hook-payload.js'
import { addMessage, type Conversation } from '../conversation/conversation.js'
import type { EmitEvent, EndReason, QueryEnd, SessionEvent } from '../conversation/session-event.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import { createHookContext } from '../messages/attachments.js'
import { readPrompt } from '../messages/user-request-of.js'
import { reportHooks, runEventHooks } from './run-event-hooks.js'

/** Why a session starts, for SessionStart hooks. */
export type StartSource = 'startup' | 'resume' | 'clear' | 'compact'

/** Why Setup hooks run: to prepare a new project, or to repair one. */
export type SetupTrigger = 'init' | 'maintenance'

/** How a watched file changed, for FileChanged hooks. */
export type FileEvent = 'change' | 'add' | 'unlink'

/** Why a session ends, for SessionEnd hooks. */
export type SessionEndReason = 'clear' | 'logout' | 'prompt_input_exit' | 'other'

/** An instruction file, for InstructionsLoaded hooks. */
export interface LoadedInstructions {
  readonly path: string
  readonly isUntrusted?: true
}

/** A slash command that becomes a prompt, for UserPromptExpansion hooks. */
export interface PromptExpansion {
  readonly command_name: string
  readonly command_args: string
  readonly command_source: string
  /** The prompt that the model would get. */
  readonly prompt: string
}

/** The calls of one answer, and their results in the same order. */
interface CallBatch {
  readonly calls: readonly ToolUseBlock[]
  readonly results: readonly ToolResultBlock[]
}

/** Ends that are neither the user's nor a hook's decision. */
const FAILURE_REASONS: ReadonlySet<EndReason> = new Set<EndReason>([
  ...(['max_turns', 'max_budget', 'refused', 'max_output', 'context_full'] as const),
  ...(['model_failed', 'stopped_by_permissions', 'stuck'] as const),
])

export interface SessionHooksOptions {
  readonly instructionFiles: readonly LoadedInstructions[]
  readonly runtime: SessionRuntime
  readonly conversation: Conversation
  readonly startSource: StartSource
  /** Why Setup hooks run before the first prompt; they do not run if left out. */
  readonly setup?: SetupTrigger | undefined
  readonly emit: EmitEvent
}

/** Runs the hooks of a session: builds the payload of each event, and applies the outcome to the conversation. */
export class SessionHooks {
  /** The reason that a hook gave for ending the prompt; undefined if none did. */
  stop: string | undefined
  readonly #runtime: SessionRuntime
  readonly #target: { readonly conversation: Conversation; readonly emit: EmitEvent }
  readonly #instructionFiles: readonly LoadedInstructions[]
  #startSource: StartSource | undefined
  readonly #setup: SetupTrigger | undefined
  #cwd: string
  readonly #notifications = new Set<Promise<void>>()

  constructor({ runtime, conversation, instructionFiles, startSource, setup, emit }: SessionHooksOptions) {
    this.#runtime = runtime
    this.#instructionFiles = instructionFiles
    this.#target = { conversation, emit }
    this.#startSource = startSource
    this.#setup = setup
    this.#cwd = runtime.cwd
  }

  /** Runs SessionStart and InstructionsLoaded before the first prompt. */
  async begin(signal: AbortSignal): Promise<void> {
    const source = this.#startSource
    this.#startSource = undefined
    if (source === undefined) return
    if (this.#setup !== undefined) await this.#run('Setup', { trigger: this.#setup }, signal)
    await this.#run('SessionStart', { source }, signal)
    for (const { path, isUntrusted = false } of this.#instructionFiles) {
      const fields = { file_path: path, is_untrusted: isUntrusted, load_reason: 'session_start' }
      await this.#runHooks('InstructionsLoaded', fields, signal)
    }
  }

  async afterCompaction(signal: AbortSignal): Promise<void> {
    await this.#run('SessionStart', { source: 'compact' }, signal)
  }

  /** Runs PostToolBatch, and CwdChanged if calls have changed the working directory. */
  async afterResults(batch: CallBatch, signal: AbortSignal): Promise<void> {
    if (this.#runtime.hooks?.hasHooks('PostToolBatch') === true) await this.#afterBatch(batch, signal)
    const cwdBefore = this.#cwd
    const { cwd } = this.#runtime
    if (cwd === cwdBefore) return
    this.#cwd = cwd
    await this.#run('CwdChanged', { old_cwd: cwdBefore, new_cwd: cwd }, signal)
  }

  /** Runs PostToolBatch. The objection of a hook goes to the model, like the objection of a PostToolUse hook to one call. */
  async #afterBatch({ calls, results }: CallBatch, signal: AbortSignal): Promise<void> {
    const toolCalls = calls.map(({ id, name, input }, index) => ({
      ...{ tool_use_id: id, tool_name: name, tool_input: input },
      ...{ tool_response: results[index]?.content, is_error: results[index]?.is_error === true },
    }))
    const outcome = await this.#runHooks('PostToolBatch', { tool_calls: toolCalls }, signal)
    this.stop ??= outcome.stop
    const objections = outcome.blocked === undefined ? [] : [outcome.blocked]
    this.#addContext('PostToolBatch', { additionalContext: [...outcome.additionalContext, ...objections] })
  }

  /** Runs StopFailure if the work ended before the model was done. */
  async afterFailure({ reason, message, text }: QueryEnd): Promise<void> {
    if (!FAILURE_REASONS.has(reason)) return
    const fields = { error_type: reason, error: message ?? reason, last_assistant_message: text }
    await runEventHooks(this.#runtime.hooks, 'StopFailure', fields, { emit: this.#target.emit })
  }

  /** Runs the hooks of an event that they can prevent. Returns the objection, if there is one. */
  async ask(event: HookEvent, fields: Fields): Promise<string | undefined> {
    const outcome = await runEventHooks(this.#runtime.hooks, event, fields, { emit: this.#target.emit })
    this.#addContext(event, outcome)
    return outcome.blocked ?? outcome.stop
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

  /** Runs FileChanged. Matchers compare the path, and the name of the file alone. */
  async fileChanged(path: string, event: FileEvent, emit: EmitEvent): Promise<void> {
    const fields = { file_path: path, event }
    const outcome = await this.#runtime.hooks?.run('FileChanged', fields, { names: [basename(path)] })
    if (outcome !== undefined) reportHooks(outcome, emit)
  }

  async end(reason: SessionEndReason, emit: EmitEvent): Promise<void> {
    await Promise.all(this.#notifications)
    await runEventHooks(this.#runtime.hooks, 'SessionEnd', { reason }, { emit })
  }

  /** Runs hooks that can add to the conversation or end the work. */
  async #run<E extends 'Setup' | 'SessionStart' | 'CwdChanged'>(
    event: E,
    fields: HookFields<E>,
    signal: AbortSignal,
  ): Promise<void> {
    const outcome = await this.#runHooks(event, fields, signal)
    this.stop ??= outcome.stop
    this.#addContext(event, outcome)
  }

  #runHooks(event: HookEvent, fields: Fields, signal: AbortSignal): Promise<HookOutcome> {
    return runEventHooks(this.#runtime.hooks, event, fields, { emit: this.#target.emit, signal })
  }

  #addContext(event: HookEvent, { additionalContext }: Pick<HookOutcome, 'additionalContext'>): void {
    if (additionalContext.length > 0) addMessage(this.#target, createHookContext(event, additionalContext))
  }
}

type Fields = Readonly<Record<string, unknown>>
