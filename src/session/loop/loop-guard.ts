import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { isSameJson } from '../../shared/is-same-json.js'

/** After this many equal calls in a row the model is warned; after twice as many it is considered stuck. */
const MAX_REPEATS = 3

interface EndedCall {
  readonly call: ToolUseBlock
  readonly result: ToolResultBlock
  /** Parsed when it is first compared. */
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

  /** Compares the calls of one message and their results with those of earlier messages. */
  observe(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[], pool: Tools): GuardFinding {
    const endedCalls = calls.flatMap((call, index): EndedCall[] => {
      const result = results[index]
      return result === undefined ? [] : [{ call, result }]
    })
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

  /** Equal neighbours in one message count once: the model had not seen a result yet. */
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
