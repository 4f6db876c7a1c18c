import { type Conflict, RewindError } from './apply-states.js'
import type { CheckpointRecord } from './checkpoint-log.js'
import { captureState, type EntryState, type EntryStates, isSameState } from './entry-state.js'

/** How to restore the state before a call by undoing it and all later calls. */
export interface RewindPlan {
  readonly goal: EntryStates
  /** The possible current states of each path. In any other state, a change by another program would be lost. */
  readonly expected: Readonly<Record<string, readonly EntryState[]>>
  /** For each path whose final state was not recorded, the ID of the call that changed it. */
  readonly unsettledCallIds: Readonly<Record<string, string>>
  /** The paths that make the rewind impossible, with the reasons. */
  readonly conflicts: readonly Conflict[]
  /** The number of calls that may have changed more than was recorded. */
  readonly uncoveredCount: number
}

/** Plans the rewind from the records of the call to undo and of all later calls. */
export function planRewind(records: readonly CheckpointRecord[]): RewindPlan {
  const plan = new PlannedRewind()
  for (const { record, isEnd } of listEvents(records)) {
    if (isEnd) plan.end(record)
    else plan.begin(record)
  }
  for (const [path, state] of Object.entries(plan.goal)) {
    if (state.kind === 'lost') plan.conflicts.set(path, { path, reason: `was not saved: ${state.reason}` })
  }
  const uncoveredCount = records.filter(({ unknown }) => unknown).length
  return { ...plan, conflicts: [...plan.conflicts.values()], uncoveredCount }
}

/** Builds the plan. The starts and ends of calls must be added in chronological order. */
class PlannedRewind {
  readonly goal: Record<string, EntryState> = {}
  readonly expected: Record<string, readonly EntryState[]> = {}
  readonly unsettledCallIds: Record<string, string> = {}
  readonly conflicts = new Map<string, Conflict>()
  readonly #running = new Set<CheckpointRecord>()

  begin(record: CheckpointRecord): void {
    for (const [path, stateBefore] of Object.entries(record.before)) {
      const expectedStates = this.expected[path]
      if (expectedStates === undefined) this.goal[path] = stateBefore
      else if (!this.#isBeingChanged(path) && !expectedStates.some((state) => isSameState(state, stateBefore)))
        this.#refuse(path, record)
      this.expected[path] = findStatesAfter(record, path)
      if (record.endedAt === undefined) this.unsettledCallIds[path] = record.id
    }
    if (record.endedAt !== undefined) this.#running.add(record)
  }

  end(record: CheckpointRecord): void {
    this.#running.delete(record)
    for (const path of Object.keys(record.before)) {
      this.expected[path] = findStatesAfter(record, path)
      delete this.unsettledCallIds[path]
    }
  }

  /** Whether a running call is changing the path. Its changes cannot be distinguished from those of other programs. */
  #isBeingChanged(path: string): boolean {
    return [...this.#running].some(({ before }) => path in before)
  }

  #refuse(path: string, { id }: CheckpointRecord): void {
    if (this.conflicts.has(path)) return
    const changingCall =
      this.unsettledCallIds[path] === undefined
        ? 'another program'
        : `another program, or by ${this.unsettledCallIds[path]},`
    const reason = `was changed by ${changingCall} before ${id}; rewind to ${id} or later`
    this.conflicts.set(path, { path, reason })
  }
}

/** Returns the starts and ends of calls in chronological order. A call in the background may end after later calls. */
function listEvents(records: readonly CheckpointRecord[]) {
  const events = records.flatMap((record) => [
    { record, isEnd: false, at: record.startedAt },
    ...(record.endedAt === undefined ? [] : [{ record, isEnd: true, at: record.endedAt }]),
  ])
  return events.sort((a, b) => a.at - b.at)
}

/**
 * Returns the states that a call may have left. If its end was not recorded, these are the state before it and the state that
 * it meant to restore.
 */
function findStatesAfter({ before, after, goal }: CheckpointRecord, path: string): readonly EntryState[] {
  const stateAfter = after?.[path]
  if (stateAfter !== undefined) return [stateAfter]
  return [before[path], goal?.[path]].filter((state) => state !== undefined)
}

/** Returns the paths that differ from the goal. Throws if one of them is not as the calls left it. */
export async function listNeededChanges({
  goal,
  expected,
  unsettledCallIds,
  conflicts,
}: RewindPlan): Promise<EntryStates> {
  const neededStates: Record<string, EntryState> = {}
  const foundConflicts: Conflict[] = []
  for (const [path, state] of Object.entries(goal)) {
    const currentState = await captureState(path)
    if (isSameState(currentState, state)) continue
    const isExpected = expected[path]?.some((candidate) => isSameState(candidate, currentState)) === true
    const conflict = conflicts.find((candidate) => candidate.path === path)
    if (conflict !== undefined) foundConflicts.push(conflict)
    else if (!isExpected) foundConflicts.push({ path, reason: explainConflict(unsettledCallIds[path]) })
    neededStates[path] = state
  }
  if (foundConflicts.length > 0) throw new RewindError(foundConflicts)
  return neededStates
}

function explainConflict(unsettledCallId: string | undefined): string {
  if (unsettledCallId === undefined) return 'has since been changed by another program'
  return `may have since been changed by another program: ${unsettledCallId} still runs or was interrupted, so its changes are unknown`
}

export interface EntryChange {
  readonly path: string
  /** `unsettled` if the state after the call was not recorded. */
  readonly change: 'made' | 'changed' | 'removed' | 'unsettled'
}

/** Returns the changes of a call according to its record. They are `unsettled` if the call still runs or was interrupted. */
export function listChanges({ before, after }: CheckpointRecord): readonly EntryChange[] {
  const changes: EntryChange[] = []
  for (const [path, oldState] of Object.entries(before)) {
    const newState = after?.[path]
    if (newState === undefined) changes.push({ path, change: 'unsettled' })
    else if (!isSameState(oldState, newState)) changes.push({ path, change: describeChange(oldState, newState) })
  }
  return changes
}

function describeChange(oldState: EntryState, newState: EntryState): EntryChange['change'] {
  if (oldState.kind === 'absent') return 'made'
  return newState.kind === 'absent' ? 'removed' : 'changed'
}
