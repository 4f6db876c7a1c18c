import type { CallTrace } from '../../session/transcript/storage/transcript-entry.js'
import type { CallRow } from './rows.js'

/** What is known about a call when it is first seen. */
export type NewCall = Pick<CallRow, 'id' | 'agent' | 'parent' | 'request' | 'message' | 'tool' | 'summary' | 'queuedAt'>

/** Collects the calls of one agent, or of an event log, in the order in which they were first seen. */
export class CallTable {
  readonly #rows: CallRow[]
  readonly #positions = new Map<string, number>()
  /** The rows that changed since they were last taken. */
  readonly changed = new Set<number>()

  /** Agents of one session share the rows. */
  constructor(rows: CallRow[] = []) {
    this.#rows = rows
  }

  get rows(): readonly CallRow[] {
    return this.#rows
  }

  /** Returns the latest call with this id. Some providers use an id again in a later turn. */
  find(id: string): CallRow | undefined {
    const position = this.#positions.get(id)
    if (position === undefined) return undefined
    this.changed.add(position)
    return this.#rows[position]
  }

  positionOf(id: string): number | undefined {
    return this.#positions.get(id)
  }

  /** Adds a call, unless one with this id is still open. */
  findOrAdd(call: NewCall): CallRow {
    const openCall = this.find(call.id)
    if (openCall !== undefined && openCall.endedAt === undefined) return openCall
    const row: CallRow = { ...call }
    this.#positions.set(call.id, this.#rows.length)
    this.changed.add(this.#rows.length)
    this.#rows.push(row)
    return row
  }
}

/** Adds what a transcript recorded about a call when it ended. */
export function applyTrace(row: CallRow, { queuedAt, decisions = [], hooks = [], steps = [] }: CallTrace): void {
  row.queuedAt = queuedAt
  if (hooks.length > 0) row.hookCount = hooks.length
  for (const { at, behavior, reason } of decisions) {
    if (behavior === 'ask') row.askedAt ??= at
    else if (row.askedAt !== undefined) row.answeredAt = at
    row.behavior = behavior
    row.reason = reason.type
  }
  for (const [name, startMs, durationMs] of steps) applyStep(row, name, queuedAt + startMs, durationMs)
}

function applyStep(row: CallRow, name: string, at: number, durationMs: number): void {
  if (name === 'call') {
    row.runAt = at
    row.ranAt = at + durationMs
  } else if (name === 'pre-hooks') row.preHooks = [at, durationMs]
  else if (name === 'post-hooks' || name === 'failure-hooks') row.postHooks = [at, durationMs]
}
