import { isRecord } from '../../shared/is-record.js'
import { CallTable } from './call-table.js'
import type { CallRow } from './rows.js'

/** Collects the calls of a `haft run --events` log. */
export class EventLog {
  readonly #calls = new CallTable()

  /** The calls in order of arrival. */
  get calls(): readonly CallRow[] {
    return this.#calls.rows
  }

  /** Adds a parsed line; returns a problem if the line is invalid. */
  add(line: unknown): string | undefined {
    if (!isRecord(line)) return 'is not an object'
    if (line.type === 'tool_result' || line.type === 'error') return undefined
    if (line.type !== 'event') return 'is not a haft run --events line'
    if (typeof line.event !== 'string') return 'is an event without a name'
    const { toolUseId, at } = line
    if (!isTime(at)) return 'is an event without a time'
    // Some events belong to the run as a whole, and later versions may add more types.
    if (toolUseId === undefined) return undefined
    if (typeof toolUseId !== 'string') return 'is an event without a valid toolUseId'
    const message = typeof line.messageNumber === 'number' ? line.messageNumber : 1
    const knownCall = this.#calls.find(toolUseId)
    const isRepeated = knownCall !== undefined && line.event !== 'call-queued'
    const call = isRepeated
      ? knownCall
      : this.#calls.findOrAdd({ id: toolUseId, agent: 0, message, tool: toolUseId, queuedAt: at })
    if (Object.hasOwn(EVENT_HANDLERS, line.event)) EVENT_HANDLERS[line.event]?.(call, at, line)
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Functions that update a call, by event type. Events of other types are ignored. */
const EVENT_HANDLERS: Readonly<Record<string, (call: CallRow, at: number, line: Fields) => void>> = {
  'call-queued': (call, at, { summary, toolName, parentToolUseId }) => {
    call.queuedAt = at
    const title = textOf(summary) ?? textOf(toolName) ?? call.tool
    // A call that another call made is indented below it.
    call.tool = textOf(parentToolUseId) === undefined ? title : `  ${title}`
  },
  'call-started': (call, at) => {
    call.startedAt = at
  },
  'permission-asked': (call, at) => {
    call.askedAt = at
  },
  'permission-decided': (call, at, { behavior }) => {
    if (call.askedAt !== undefined) call.answeredAt = at
    const decided = textOf(behavior)
    if (decided !== undefined) call.behavior = decided
  },
  'hook-reported': (call) => {
    call.hookCount = (call.hookCount ?? 0) + 1
  },
  'call-ended': (call, at, { resultChars, errorCode, isError }) => {
    call.endedAt = at
    if (typeof resultChars === 'number') call.resultBytes = resultChars
    const failure = textOf(errorCode) ?? (isError === true ? 'error' : undefined)
    if (failure !== undefined) call.errorCode = failure
  },
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
