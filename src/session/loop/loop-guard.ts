import { isDeepStrictEqual } from 'node:util'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { Tools } from '../../contract/tool/tool.js'
import { isSameCall } from './same-call.js'

/** So many equal calls in a row are pointed out to the model; as many again, and it is stuck. */
const MOST = 3

interface EndedCall {
  readonly call: ToolUseBlock
  readonly result: ToolResultBlock
}

export type GuardFinding = 'fine' | 'repeated' | 'stuck'

/** Sees a model that goes round in circles: the same call, or the same message of calls, with the same result again and again. */
export class LoopGuard {
  #last: EndedCall | undefined
  #calls = 0
  #lastMessage: readonly EndedCall[] = []
  #messages = 0
  #wasTold = false

  /** Takes in the calls of one message with their results. */
  observe(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[], pool: Tools): GuardFinding {
    const ended = calls.flatMap((call, index): EndedCall[] => {
      const result = results[index]
      return result === undefined ? [] : [{ call, result }]
    })
    if (ended.length === 0) return 'fine'
    this.#countCalls(ended, pool)
    this.#countMessages(ended, pool)
    const count = Math.max(this.#calls, this.#messages)
    if (count < MOST) {
      this.#wasTold = false
      return 'fine'
    }
    if (this.#wasTold && count >= 2 * MOST) return 'stuck'
    if (this.#wasTold) return 'fine'
    this.#wasTold = true
    return 'repeated'
  }

  /** Equal calls side by side count once: who made them had seen no result yet. */
  #countCalls(ended: readonly EndedCall[], pool: Tools): void {
    for (const [index, each] of ended.entries()) {
      const before = ended[index - 1]
      if (before !== undefined && isSame(before, each, pool)) continue
      this.#calls = this.#last !== undefined && isSame(this.#last, each, pool) ? this.#calls + 1 : 1
      this.#last = each
    }
  }

  #countMessages(ended: readonly EndedCall[], pool: Tools): void {
    const last = this.#lastMessage
    const isRepeated =
      last.length === ended.length && ended.every((each, index) => isSame(last[index] as EndedCall, each, pool))
    this.#messages = isRepeated ? this.#messages + 1 : 1
    this.#lastMessage = ended
  }
}

function isSame(a: EndedCall, b: EndedCall, pool: Tools): boolean {
  const { content, is_error = false } = a.result
  const { content: others, is_error: otherIsError = false } = b.result
  return is_error === otherIsError && isSameContent(content, others) && isSameCall(a.call, b.call, pool)
}

function isSameContent(a: ToolResultBlock['content'], b: ToolResultBlock['content']): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : isDeepStrictEqual(a, b)
}
