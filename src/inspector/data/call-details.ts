import type { ToolResultBlock } from '../../contract/messages.js'
import { isResult } from '../../session/transcript/read/transcript-index.js'
import { isShownResult, type ShownResult } from '../../session/transcript/storage/shown-result.js'
import type { CallTrace } from '../../session/transcript/storage/transcript-entry.js'
import { isRecord } from '../../shared/is-record.js'
import type { CallRow } from './rows.js'
import type { CallLines } from './session-file.js'

/** Everything that was recorded about one call. */
export interface CallDetail {
  readonly row: CallRow
  readonly input: unknown
  readonly result: ToolResultBlock | undefined
  readonly shown: ShownResult | undefined
  readonly trace: CallTrace | undefined
}

/** Reads the lines of one call. */
export class CallDetails {
  readonly #lines: CallLines

  constructor(lines: CallLines) {
    this.#lines = lines
  }

  read(row: CallRow): CallDetail {
    const end = this.#readFields('end')
    const { result, shown, trace } = end
    return {
      row,
      input: this.#readInput(row.id),
      result: isResult(result) ? result : undefined,
      shown: isShownResult(shown) ? shown : undefined,
      trace: isRecord(trace) ? (trace as unknown as CallTrace) : undefined,
    }
  }

  /** Returns the input from the line of the start, or from the message of the model before it. */
  #readInput(id: string): unknown {
    const start = this.#readFields('start')
    if (start.input !== undefined) return start.input
    const { message } = this.#readFields('message')
    const content = isRecord(message) && Array.isArray(message.content) ? message.content : []
    return content.find((block) => isRecord(block) && block.type === 'tool_use' && block.id === id)?.input
  }

  #readFields(name: keyof CallLines): Readonly<Record<string, unknown>> {
    const line = this.#lines[name]
    const entry = line === undefined ? undefined : line.file.readLine(line)
    return isRecord(entry) ? entry : {}
  }
}
