import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { EndAnswer } from './loop/query-options.js'
import { hookContext } from './messages/hook-context.js'
import { runEventHooks } from './run-event-hooks.js'
import type { SessionEvent } from './session-event.js'

export interface StopGateOptions {
  readonly hooks: HookRunner | undefined
  readonly event: 'Stop' | 'SubagentStop'
  /** What the event tells beside the text and `stop_hook_active`. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}

/** So often in a row hooks may send the model back to work. */
const MAX_ROUNDS = 10

/** Lets hooks object to the end of an answer: what they say goes to the model. One for each prompt. */
export class StopGate {
  readonly #options: StopGateOptions
  #rounds = 0

  constructor(options: StopGateOptions) {
    this.#options = options
  }

  async *ask({ text }: { readonly text: string }): AsyncGenerator<SessionEvent, EndAnswer> {
    const { hooks, event, fields, signal } = this.#options
    const told = { ...fields, stop_hook_active: this.#rounds > 0, last_assistant_message: text }
    const { outcome, events } = await runEventHooks(hooks, event, told, signal)
    yield* events
    if (outcome.stop !== undefined) return { type: 'stop', message: outcome.stop }
    if (outcome.blocked === undefined) return { type: 'end' }
    this.#rounds++
    if (this.#rounds > MAX_ROUNDS) {
      const words = `The ${event} hook objected ${this.#rounds} times in a row, so that its objection no longer counts.`
      yield { type: 'notice', level: 'warning', text: words }
      return { type: 'end' }
    }
    return { type: 'go_on', messages: [hookContext(event, [outcome.blocked, ...outcome.additionalContext])] }
  }
}
