import { isRecord } from '../../../shared/is-record.js'

/** The timeline of one call. Times are milliseconds since the epoch. */
export interface TimelineCall {
  readonly id: string
  readonly message: number
  title: string
  queuedAt: number
  startedAt?: number
  /** When the permission question was asked; `answeredAt` is the time of the answer. */
  askedAt?: number
  answeredAt?: number
  hooks: number
  endedAt?: number
  resultChars?: number
  errorCode?: string
}

/** Collects the events of a run by call. */
export class Timeline {
  readonly #calls = new Map<string, TimelineCall>()

  /** The calls in order of arrival. */
  get calls(): readonly TimelineCall[] {
    return [...this.#calls.values()]
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
    const call = this.#findOrAdd(toolUseId, at, line)
    if (Object.hasOwn(EVENT_HANDLERS, line.event)) EVENT_HANDLERS[line.event]?.(call, at, line)
    return undefined
  }

  #findOrAdd(id: string, at: number, line: Fields): TimelineCall {
    const existingCall = this.#calls.get(id)
    if (existingCall !== undefined) return existingCall
    const message = typeof line.messageNumber === 'number' ? line.messageNumber : 1
    const call: TimelineCall = { id, message, title: id, queuedAt: at, hooks: 0 }
    this.#calls.set(id, call)
    return call
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Functions that update a call, by event type. Events of other types are ignored. */
const EVENT_HANDLERS: Readonly<Record<string, (call: TimelineCall, at: number, line: Fields) => void>> = {
  'call-queued': (call, at, { summary, toolName, parentToolUseId }) => {
    call.queuedAt = at
    const title = textOf(summary) ?? textOf(toolName) ?? call.title
    // A call that another call made is indented below it.
    call.title = textOf(parentToolUseId) === undefined ? title : `  ${title}`
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
