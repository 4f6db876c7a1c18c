import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isSameJson } from '../../shared/is-same-json.js'
import type { EndReason } from '../conversation/session-event.js'
import type { AnswerOutcome } from './answer.js'

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
  /** The context window is full, so the conversation must be shortened. */
  | { readonly type: 'shorten' }
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

  judge(answerOutcome: AnswerOutcome, pool: Tools): NextStep {
    const { answer, calls, message } = answerOutcome
    const { stopReason } = answer
    this.#cutOutputCount = stopReason === 'max_tokens' ? this.#cutOutputCount + 1 : 0
    this.#cutStreamCount = answer.error === undefined ? 0 : this.#cutStreamCount + 1
    this.#emptyAnswerCount = message === undefined && stopReason !== 'max_tokens' ? this.#emptyAnswerCount + 1 : 0
    if (calls?.runStop !== undefined) {
      const { by, reason } = calls.runStop
      return { type: 'end', reason: by === 'hook' ? 'stopped_by_hook' : 'stopped_by_permissions', message: reason }
    }
    if (stopReason === 'refusal') return { type: 'end', reason: 'refused', message: 'The model declined to answer.' }
    if (stopReason === 'context_full') return { type: 'shorten' }
    const repeatStep = this.#judgeCalls(answerOutcome, pool)
    if (repeatStep?.type === 'end') return repeatStep
    return this.#judgeCut(answerOutcome) ?? repeatStep ?? this.#judgeWhole(answerOutcome)
  }

  #judgeCalls({ answer, calls }: AnswerOutcome, pool: Tools): NextStep | undefined {
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

  #judgeCut({ answer }: AnswerOutcome): NextStep | undefined {
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

  #judgeWhole({ answer, calls, message }: AnswerOutcome): NextStep {
    if (calls !== undefined) return { type: 'continue' }
    if (answer.stopReason === 'pause') return { type: 'continue', nudge: NUDGES.pause }
    if (message === undefined && this.#emptyAnswerCount <= 1) return { type: 'continue', nudge: NUDGES.empty }
    return { type: 'complete' }
  }
}

/** After this many equal calls in a row the model is warned; after twice as many it is considered stuck. */
const MAX_REPEATS = 3

interface EndedCall {
  readonly call: ToolUseBlock
  readonly result: ToolResultBlock
  /** The input parsed with the schema of the tool, once it has been compared. */
  parsedInput?: ComparedInput
}

export type GuardFinding = 'fine' | 'repeated' | 'stuck'

/** Detects a model that repeats itself: the same call, or the same message of calls, with the same result each time. */
export class LoopGuard {
  #lastCall: EndedCall | undefined
  #equalCallCount = 0
  #lastMessage: readonly EndedCall[] = []
  #equalMessageCount = 0
  #wasWarned = false

  /** Compares the calls of one message and their results, one for each call, with those of earlier messages. */
  observe(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[], pool: Tools): GuardFinding {
    const endedCalls = results.map((result, index): EndedCall => ({ call: calls[index] as ToolUseBlock, result }))
    if (endedCalls.length === 0) return 'fine'
    this.#countCalls(endedCalls, pool)
    this.#countMessages(endedCalls, pool)
    const count = Math.max(this.#equalCallCount, this.#equalMessageCount)
    if (count < MAX_REPEATS) {
      this.#wasWarned = false
      return 'fine'
    }
    if (this.#wasWarned) return count >= 2 * MAX_REPEATS ? 'stuck' : 'fine'
    this.#wasWarned = true
    return 'repeated'
  }

  /** Counts repeated calls. Equal consecutive calls of one message count once, because the model had not seen a result yet. */
  #countCalls(endedCalls: readonly EndedCall[], pool: Tools): void {
    for (const [index, endedCall] of endedCalls.entries()) {
      const previousCall = endedCalls[index - 1]
      if (previousCall !== undefined && isSame(previousCall, endedCall, pool)) continue
      this.#equalCallCount =
        this.#lastCall !== undefined && isSame(this.#lastCall, endedCall, pool) ? this.#equalCallCount + 1 : 1
      this.#lastCall = endedCall
    }
  }

  #countMessages(endedCalls: readonly EndedCall[], pool: Tools): void {
    const lastMessage = this.#lastMessage
    const isRepeated =
      lastMessage.length === endedCalls.length &&
      endedCalls.every((endedCall, index) => isSame(lastMessage[index] as EndedCall, endedCall, pool))
    this.#equalMessageCount = isRepeated ? this.#equalMessageCount + 1 : 1
    this.#lastMessage = endedCalls
  }
}

function isSame(a: EndedCall, b: EndedCall, pool: Tools): boolean {
  const { content, is_error = false } = a.result
  const { content: otherContent, is_error: otherIsError = false } = b.result
  return is_error === otherIsError && isSameContent(content, otherContent) && isSameCall(a, b, pool)
}

function isSameContent(a: ToolResultBlock['content'], b: ToolResultBlock['content']): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : isSameJson(a, b)
}

/** Whether two calls do the same: by equal input, by the tool's own comparison, or by equal parsed input. */
function isSameCall(a: EndedCall, b: EndedCall, pool: Tools): boolean {
  if (a.call.name === b.call.name && isSameJson(a.call.input, b.call.input)) return true
  const tool = findToolByName(pool, a.call.name)
  if (tool === undefined || findToolByName(pool, b.call.name) !== tool) return false
  try {
    return areEquivalent(tool, parseInput(tool, a), parseInput(tool, b))
  } catch {
    // If the validation or comparison of the tool throws, the calls count as different.
    return false
  }
}

function areEquivalent(tool: Tool, a: ComparedInput, b: ComparedInput): boolean {
  if (a === 'unknown' || b === 'unknown') return false
  return tool.inputsEquivalent?.(a.value, b.value) === true || isDeepStrictEqual(a.value, b.value)
}

/** `unknown` if the input does not fit the schema, or if the schema is asynchronous. */
type ComparedInput = { readonly value: unknown } | 'unknown'

function parseInput(tool: Tool, endedCall: EndedCall): ComparedInput {
  if (endedCall.parsedInput === undefined) {
    const result = tool.inputSchema['~standard'].validate(endedCall.call.input)
    const isUnknown = result instanceof Promise || result.issues !== undefined
    endedCall.parsedInput = isUnknown ? 'unknown' : { value: result.value }
  }
  return endedCall.parsedInput
}
