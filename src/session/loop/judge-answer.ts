import type { Tools } from '../../contract/tool/tool.js'
import type { EndReason } from '../session-event.js'
import type { LoopGuard } from './loop-guard.js'
import { cutCallNudge, NUDGES } from './nudges.js'
import type { AnswerRead } from './read-answer.js'

export type NextStep =
  /** With a word to the model, where it needs one. */
  | { readonly type: 'go_on'; readonly nudge?: string }
  /** The model has said all it has to say. */
  | { readonly type: 'complete' }
  /** The window is full. */
  | { readonly type: 'make_room' }
  | { readonly type: 'end'; readonly reason: EndReason; readonly message?: string }

/** So many answers in a row may be cut at the limit of output. */
const MAX_CUT_OUTPUTS = 3
const MAX_CUT_STREAMS = 8

/** Decides after each answer what comes next; remembers only what happens several times in a row. */
export class AnswerJudge {
  readonly #guard: LoopGuard
  #cutOutputs = 0
  #cutStreams = 0
  #empties = 0

  constructor(guard: LoopGuard) {
    this.#guard = guard
  }

  judge(read: AnswerRead, pool: Tools): NextStep {
    const { answer, calls, message } = read
    const { stopReason } = answer
    this.#cutOutputs = stopReason === 'max_tokens' ? this.#cutOutputs + 1 : 0
    this.#cutStreams = answer.error === undefined ? 0 : this.#cutStreams + 1
    this.#empties = message === undefined && stopReason !== 'max_tokens' ? this.#empties + 1 : 0
    if (calls?.stopped !== undefined) {
      const { by, reason } = calls.stopped
      return { type: 'end', reason: by === 'hook' ? 'stopped_by_hook' : 'stopped_by_permissions', message: reason }
    }
    if (stopReason === 'refusal') return { type: 'end', reason: 'refused', message: 'The model declined to answer.' }
    if (stopReason === 'context_full') return { type: 'make_room' }
    const repeated = this.#judgeCalls(read, pool)
    if (repeated?.type === 'end') return repeated
    return this.#judgeCut(read) ?? repeated ?? this.#judgeRest(read)
  }

  #judgeCalls({ answer, calls }: AnswerRead, pool: Tools): NextStep | undefined {
    if (calls === undefined) return undefined
    const finding = this.#guard.observe(answer.calls, calls.results, pool)
    if (finding === 'repeated') return { type: 'go_on', nudge: NUDGES.repeated }
    if (finding === 'fine') return undefined
    const name = answer.calls.at(-1)?.name ?? 'tool'
    return {
      type: 'end',
      reason: 'stuck',
      message: `The model went on to make the same call of ${name} after it was told that nothing comes of it.`,
    }
  }

  #judgeCut({ answer }: AnswerRead): NextStep | undefined {
    if (answer.error !== undefined) {
      if (this.#cutStreams <= MAX_CUT_STREAMS) return { type: 'go_on', nudge: NUDGES.cut }
      return { type: 'end', reason: 'model_failed', message: answer.error.message }
    }
    if (answer.stopReason !== 'max_tokens') return undefined
    if (this.#cutOutputs > MAX_CUT_OUTPUTS) {
      const message = `The answer was cut at the limit of output ${this.#cutOutputs} times in a row.`
      return { type: 'end', reason: 'max_output', message }
    }
    const { cutCalls } = answer
    return { type: 'go_on', nudge: cutCalls.length > 0 ? cutCallNudge(cutCalls) : NUDGES.maxTokens }
  }

  #judgeRest({ answer, calls, message }: AnswerRead): NextStep {
    if (calls !== undefined) return { type: 'go_on' }
    if (answer.stopReason === 'pause') return { type: 'go_on', nudge: NUDGES.pause }
    if (message === undefined && this.#empties <= 1) return { type: 'go_on', nudge: NUDGES.empty }
    return { type: 'complete' }
  }
}
