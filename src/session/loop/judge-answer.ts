import type { Tools } from '../../contract/tool/tool.js'
import type { EndReason } from '../conversation/session-event.js'
import type { AnswerRead } from './answer.js'
import { LoopGuard } from './loop-guard.js'

/** System messages to the model between its answers. */
export const NUDGES = {
  interrupted: 'The user interrupted you here.',
  empty: 'Your last answer was empty. Continue with the task, or say that it is done and what the outcome is.',
  pause: 'Continue where you stopped.',
  cut: 'The connection failed in the middle of your last message. The calls in it have run, each once, and their results are here; everything after them was lost. Continue from here, and do not repeat calls that have results.',
  maxTokens:
    'Your last message was cut off at the output limit. Continue where it stopped, without repeating what is there.',
  repeated:
    'You have made the same call three times in a row with the same result. Repeating it will not help: try something else, or tell the user what blocks you.',
} as const

function createCutCallNudge(toolNames: readonly string[]): string {
  const names = [...new Set(toolNames)].join(', ')
  return `Your last message was cut off at the output limit, in the middle of a call of ${names}. That call did not run. Take smaller steps: write long files in several parts, and make fewer calls in one message.`
}

export type NextStep =
  /** Sends another request; `nudge` is added to the conversation first. */
  | { readonly type: 'continue'; readonly nudge?: string }
  /** The model has finished. */
  | { readonly type: 'complete' }
  /** The context window is full. */
  | { readonly type: 'make_room' }
  | { readonly type: 'end'; readonly reason: EndReason; readonly message?: string }

/** How many answers in a row may be cut off at the output limit. */
const MAX_CUT_OUTPUTS = 3
/** How many answers in a row may break off. */
const MAX_CUT_STREAMS = 8

/** Decides after each answer how the loop continues. */
export class AnswerJudge {
  readonly #guard = new LoopGuard()
  #cutOutputCount = 0
  #cutStreamCount = 0
  #emptyAnswerCount = 0

  judge(answerRead: AnswerRead, pool: Tools): NextStep {
    const { answer, calls, message } = answerRead
    const { stopReason } = answer
    this.#cutOutputCount = stopReason === 'max_tokens' ? this.#cutOutputCount + 1 : 0
    this.#cutStreamCount = answer.error === undefined ? 0 : this.#cutStreamCount + 1
    this.#emptyAnswerCount = message === undefined && stopReason !== 'max_tokens' ? this.#emptyAnswerCount + 1 : 0
    if (calls?.runStop !== undefined) {
      const { by, reason } = calls.runStop
      return { type: 'end', reason: by === 'hook' ? 'stopped_by_hook' : 'stopped_by_permissions', message: reason }
    }
    if (stopReason === 'refusal') return { type: 'end', reason: 'refused', message: 'The model declined to answer.' }
    if (stopReason === 'context_full') return { type: 'make_room' }
    const repeatStep = this.#judgeCalls(answerRead, pool)
    if (repeatStep?.type === 'end') return repeatStep
    return this.#judgeCut(answerRead) ?? repeatStep ?? this.#judgeWhole(answerRead)
  }

  #judgeCalls({ answer, calls }: AnswerRead, pool: Tools): NextStep | undefined {
    if (calls === undefined) return undefined
    const finding = this.#guard.observe(answer.calls, calls.results, pool)
    if (finding === 'repeated') return { type: 'continue', nudge: NUDGES.repeated }
    if (finding === 'fine') return undefined
    const name = answer.calls.at(-1)?.name ?? 'tool'
    return {
      type: 'end',
      reason: 'stuck',
      message: `The model kept repeating the same call of ${name} after it was warned.`,
    }
  }

  #judgeCut({ answer }: AnswerRead): NextStep | undefined {
    if (answer.error !== undefined) {
      if (this.#cutStreamCount <= MAX_CUT_STREAMS) return { type: 'continue', nudge: NUDGES.cut }
      return { type: 'end', reason: 'model_failed', message: answer.error.message }
    }
    if (answer.stopReason !== 'max_tokens') return undefined
    if (this.#cutOutputCount > MAX_CUT_OUTPUTS) {
      const message = `The answer was cut off at the output limit ${this.#cutOutputCount} times in a row.`
      return { type: 'end', reason: 'max_output', message }
    }
    const { cutCalls } = answer
    return { type: 'continue', nudge: cutCalls.length > 0 ? createCutCallNudge(cutCalls) : NUDGES.maxTokens }
  }

  #judgeWhole({ answer, calls, message }: AnswerRead): NextStep {
    if (calls !== undefined) return { type: 'continue' }
    if (answer.stopReason === 'pause') return { type: 'continue', nudge: NUDGES.pause }
    if (message === undefined && this.#emptyAnswerCount <= 1) return { type: 'continue', nudge: NUDGES.empty }
    return { type: 'complete' }
  }
}
