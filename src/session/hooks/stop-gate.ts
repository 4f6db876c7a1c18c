import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { EmitEvent } from '../conversation/session-event.js'
import type { EndAnswer } from '../loop/query-options.js'
import { createHookContext } from '../messages/attachments.js'
import { runEventHooks } from './run-event-hooks.js'

export interface StopGateOptions {
  readonly hooks: HookRunner | undefined
  readonly event: 'Stop' | 'SubagentStop' | 'TeammateIdle'
  /** Further fields of the event, besides the text and `stop_hook_active`. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly emit: EmitEvent
  readonly signal?: AbortSignal
}

/** How many times in a row hooks may object to the end of an answer. */
const MAX_ROUNDS = 10

/** Lets hooks object to the end of an answer. Their objection is sent to the model. Create one for each prompt. */
export class StopGate {
  readonly #options: StopGateOptions
  #roundCount = 0

  constructor(options: StopGateOptions) {
    this.#options = options
  }

  async ask({ text }: { readonly text: string }): Promise<EndAnswer> {
    const { hooks, event, fields, signal, emit } = this.#options
    const payload = { ...fields, stop_hook_active: this.#roundCount > 0, last_assistant_message: text }
    const { stop, blocked, additionalContext } = await runEventHooks(hooks, event, payload, { emit, signal })
    if (stop !== undefined) return { type: 'stop', message: stop }
    if (blocked === undefined) return { type: 'end' }
    this.#roundCount++
    if (this.#roundCount > MAX_ROUNDS) {
      const warning = `The ${event} hook objected ${this.#roundCount} times in a row. Its objection is now ignored.`
      emit({ type: 'notice', level: 'warning', text: warning })
      return { type: 'end' }
    }
    return { type: 'continue', messages: [createHookContext(event, [blocked, ...additionalContext])] }
  }
}
