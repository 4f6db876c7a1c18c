import { type Conflict, RewindError } from './apply-states.js'
import type { CheckpointRecord } from './checkpoint-log.js'
import { type EntryState, type EntryStates, isSameState, takeState } from './entry-state.js'

/** How to get back to what was before a call: that call and all later ones are undone. */
export interface RewindPlan {
  readonly goal: EntryStates
  /** What must stand there now, so that nothing of anybody else is lost: any of these. */
  readonly expected: Readonly<Record<string, readonly EntryState[]>>
  /** Of what nobody noted how it was left: the call that did it. */
  readonly unsettled: Readonly<Record<string, string>>
  /** Why it cannot be done. */
  readonly conflicts: readonly Conflict[]
  /** Calls among them that may have changed more than is known. */
  readonly uncovered: number
}

/** From the call to go back before, and all that came after it. */
export function planRewind(records: readonly CheckpointRecord[]): RewindPlan {
  const planned = new PlannedRewind()
  for (const { record, hasEnded } of eventsOf(records)) {
    if (hasEnded) planned.end(record)
    else planned.begin(record)
  }
  for (const [path, state] of Object.entries(planned.goal)) {
    if (state.kind === 'lost') planned.conflicts.set(path, { path, reason: `was not kept: ${state.reason}` })
  }
  const uncovered = records.filter(({ unknown }) => unknown).length
  return { ...planned, conflicts: [...planned.conflicts.values()], uncovered }
}

/** Goes through the calls in the order of time. */
class PlannedRewind {
  readonly goal: Record<string, EntryState> = {}
  readonly expected: Record<string, readonly EntryState[]> = {}
  readonly unsettled: Record<string, string> = {}
  readonly conflicts = new Map<string, Conflict>()
  readonly #underWay = new Set<CheckpointRecord>()

  begin(record: CheckpointRecord): void {
    for (const [path, before] of Object.entries(record.before)) {
      const known = this.expected[path]
      if (known === undefined) this.goal[path] = before
      else if (!this.#isUnderWay(path) && !known.some((state) => isSameState(state, before))) this.#refuse(path, record)
      this.expected[path] = statesLeft(record, path)
      if (record.endedAt === undefined) this.unsettled[path] = record.id
    }
    if (record.endedAt !== undefined) this.#underWay.add(record)
  }

  end(record: CheckpointRecord): void {
    this.#underWay.delete(record)
    for (const path of Object.keys(record.before)) {
      this.expected[path] = statesLeft(record, path)
      delete this.unsettled[path]
    }
  }

  /** While another call is at it, what it has done so far cannot be told from what anybody else has. */
  #isUnderWay(path: string): boolean {
    return [...this.#underWay].some(({ before }) => path in before)
  }

  #refuse(path: string, { id }: CheckpointRecord): void {
    if (this.conflicts.has(path)) return
    const by = this.unsettled[path] === undefined ? 'somebody else' : `somebody else, or by ${this.unsettled[path]},`
    const reason = `was changed by ${by} before ${id}; go back to ${id} at the earliest`
    this.conflicts.set(path, { path, reason })
  }
}

/** Beginnings and ends in the order in which they came: a call in the background ends after later ones. */
function eventsOf(records: readonly CheckpointRecord[]) {
  const events = records.flatMap((record) => [
    { record, hasEnded: false, at: record.beganAt },
    ...(record.endedAt === undefined ? [] : [{ record, hasEnded: true, at: record.endedAt }]),
  ])
  return events.sort((a, b) => a.at - b.at)
}

/** What a call may have left; where nobody was left to look, nothing but what it found, or what it meant to bring back. */
function statesLeft({ before, after, goal }: CheckpointRecord, path: string): readonly EntryState[] {
  const left = after?.[path]
  if (left !== undefined) return [left]
  return [before[path], goal?.[path]].filter((state) => state !== undefined)
}

/** What differs from what is wanted; refuses where it is not what the calls left. */
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
  if (unsettled === undefined) return 'was changed by somebody else since'
  return `may have been changed by somebody else since: ${unsettled} still runs or was cut off, so that nobody knows what it left`
}

export interface EntryChange {
  readonly path: string
  /** `unsettled` where nobody has noted what the call left. */
  readonly change: 'made' | 'changed' | 'removed' | 'unsettled'
}

/** What a call changed, by its own account; of one that still runs or was cut off it is not known. */
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
