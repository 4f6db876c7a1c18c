import { type Conflict, RewindError } from './apply-states.js'
import type { CheckpointRecord } from './checkpoint-log.js'
import { type EntryState, type EntryStates, isSameState, takeState } from './entry-state.js'

/** How to restore the state before a call by undoing it and all later calls. */
export interface RewindPlan {
  readonly goal: EntryStates
  /** One of these states must be current, so that no change by another program is lost. */
  readonly expected: Readonly<Record<string, readonly EntryState[]>>
  /** For paths whose final state was not recorded: the call that changed them. */
  readonly unsettled: Readonly<Record<string, string>>
  /** Why the rewind is not possible. */
  readonly conflicts: readonly Conflict[]
  /** How many of the calls may have changed more than is known. */
  readonly uncovered: number
}

/** Takes the records of the call to undo and of all later calls. */
export function planRewind(records: readonly CheckpointRecord[]): RewindPlan {
  const planned = new PlannedRewind()
  for (const { record, hasEnded } of eventsOf(records)) {
    if (hasEnded) planned.end(record)
    else planned.begin(record)
  }
  for (const [path, state] of Object.entries(planned.goal)) {
    if (state.kind === 'lost') planned.conflicts.set(path, { path, reason: `was not saved: ${state.reason}` })
  }
  const uncovered = records.filter(({ unknown }) => unknown).length
  return { ...planned, conflicts: [...planned.conflicts.values()], uncovered }
}

/** Processes the calls in order of time. */
class PlannedRewind {
  readonly goal: Record<string, EntryState> = {}
  readonly expected: Record<string, readonly EntryState[]> = {}
  readonly unsettled: Record<string, string> = {}
  readonly conflicts = new Map<string, Conflict>()
  readonly #running = new Set<CheckpointRecord>()

  begin(record: CheckpointRecord): void {
    for (const [path, before] of Object.entries(record.before)) {
      const known = this.expected[path]
      if (known === undefined) this.goal[path] = before
      else if (!this.#isBeingChanged(path) && !known.some((state) => isSameState(state, before)))
        this.#refuse(path, record)
      this.expected[path] = statesLeft(record, path)
      if (record.endedAt === undefined) this.unsettled[path] = record.id
    }
    if (record.endedAt !== undefined) this.#running.add(record)
  }

  end(record: CheckpointRecord): void {
    this.#running.delete(record)
    for (const path of Object.keys(record.before)) {
      this.expected[path] = statesLeft(record, path)
      delete this.unsettled[path]
    }
  }

  /** While another call is changing the path, its changes cannot be distinguished from those of others. */
  #isBeingChanged(path: string): boolean {
    return [...this.#running].some(({ before }) => path in before)
  }

  #refuse(path: string, { id }: CheckpointRecord): void {
    if (this.conflicts.has(path)) return
    const by =
      this.unsettled[path] === undefined ? 'another program' : `another program, or by ${this.unsettled[path]},`
    const reason = `was changed by ${by} before ${id}; rewind to ${id} or later`
    this.conflicts.set(path, { path, reason })
  }
}

/** Begin and end events in order: a call in the background ends after later ones. */
function eventsOf(records: readonly CheckpointRecord[]) {
  const events = records.flatMap((record) => [
    { record, hasEnded: false, at: record.beganAt },
    ...(record.endedAt === undefined ? [] : [{ record, hasEnded: true, at: record.endedAt }]),
  ])
  return events.sort((a, b) => a.at - b.at)
}

/**
 * The states that a call may have left. If its end was not recorded: the state before it, or the state that it meant to
 * restore.
 */
function statesLeft({ before, after, goal }: CheckpointRecord, path: string): readonly EntryState[] {
  const left = after?.[path]
  if (left !== undefined) return [left]
  return [before[path], goal?.[path]].filter((state) => state !== undefined)
}

/** The paths that differ from the goal. Throws if one of them is not as the calls left it. */
export async function changesNeeded({ goal, expected, unsettled, conflicts }: RewindPlan): Promise<EntryStates> {
  const needed: Record<string, EntryState> = {}
  const found: Conflict[] = []
  for (const [path, state] of Object.entries(goal)) {
    const now = await takeState(path)
    if (isSameState(now, state)) continue
    const isExpected = expected[path]?.some((left) => isSameState(left, now)) === true
    const conflict = conflicts.find((each) => each.path === path)
    if (conflict !== undefined) found.push(conflict)
    else if (!isExpected) found.push({ path, reason: reasonOf(unsettled[path]) })
    needed[path] = state
  }
  if (found.length > 0) throw new RewindError(found)
  return needed
}

function reasonOf(unsettled: string | undefined): string {
  if (unsettled === undefined) return 'was changed by another program since'
  return `may have been changed by another program since: ${unsettled} still runs or was interrupted, so its changes are unknown`
}

export interface EntryChange {
  readonly path: string
  /** `unsettled` if the state after the call was not recorded. */
  readonly change: 'made' | 'changed' | 'removed' | 'unsettled'
}

/** The changes of a call according to its records; `unsettled` for a call that still runs or was interrupted. */
export function changesOf({ before, after }: CheckpointRecord): readonly EntryChange[] {
  const changes: EntryChange[] = []
  for (const [path, was] of Object.entries(before)) {
    const is = after?.[path]
    if (is === undefined) changes.push({ path, change: 'unsettled' })
    else if (!isSameState(was, is)) changes.push({ path, change: changeOf(was, is) })
  }
  return changes
}

function changeOf(was: EntryState, is: EntryState): EntryChange['change'] {
  if (was.kind === 'absent') return 'made'
  return is.kind === 'absent' ? 'removed' : 'changed'
}
