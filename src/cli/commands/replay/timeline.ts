import { isRecord } from '../../../shared/is-record.js'

/** What the events of one call tell. Times are milliseconds since the epoch. */
export interface TimelineCall {
  readonly id: string
  readonly message: number
  title: string
  queuedAt: number
  startedAt?: number
  /** When a question was put, and when it was answered. */
  askedAt?: number
  answeredAt?: number
  hooks: number
  endedAt?: number
  resultChars?: number
  errorCode?: string
}

/** Puts the events of a run together again, call by call. */
export class Timeline {
  readonly #calls = new Map<string, TimelineCall>()

  /** The calls in the order in which they came. */
  get calls(): readonly TimelineCall[] {
    return [...this.#calls.values()]
  }

  /** Takes a line that was parsed; tells what is wrong with it, if anything is. */
  add(line: unknown): string | undefined {
    if (!isRecord(line)) return 'is no object'
    if (line.type === 'tool_result' || line.type === 'error') return undefined
    if (line.type !== 'event') return 'is no line of haft run --events'
    if (typeof line.event !== 'string') return 'is an event without a name'
    const { toolUseId, at } = line
    if (!isTime(at)) return 'is an event without a time'
    // Some events are about the run as a whole, and later versions may know more kinds.
    if (toolUseId === undefined) return undefined
    if (typeof toolUseId !== 'string') return 'is an event of a call without an id'
    const call = this.#call(toolUseId, at, line)
    if (Object.hasOwn(HANDLERS, line.event)) HANDLERS[line.event]?.(call, at, line)
    return undefined
  }

  #call(id: string, at: number, line: Fields): TimelineCall {
    const known = this.#calls.get(id)
    if (known !== undefined) return known
    const message = typeof line.messageNumber === 'number' ? line.messageNumber : 1
    const call: TimelineCall = { id, message, title: id, queuedAt: at, hooks: 0 }
    this.#calls.set(id, call)
    return call
  }
}

type Fields = Readonly<Record<string, unknown>>

/** What each event adds to its call; events of other names add nothing. */
const HANDLERS: Readonly<Record<string, (call: TimelineCall, at: number, line: Fields) => void>> = {
  'call-queued': (call, at, { summary, toolName }) => {
    call.queuedAt = at
    call.title = textOf(summary) ?? textOf(toolName) ?? call.title
  },
  'call-started': (call, at) => {
    call.startedAt = at
  },
  'permission-asked': (call, at) => {
    call.askedAt = at
  },
  'permission-decided': (call, at) => {
    if (call.askedAt !== undefined) call.answeredAt = at
  },
  'hook-reported': (call) => {
    call.hooks++
  },
  'call-ended': (call, at, { resultChars, errorCode, isError }) => {
    call.endedAt = at
    if (typeof resultChars === 'number') call.resultChars = resultChars
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
