import type { CheckpointRecord } from './checkpoint-log.js'
import { type EntryState, type EntryStates, isSameState } from './entry-state.js'

/** How to get back to what was before a call: that call and all later ones are undone. */
export interface RewindPlan {
  readonly goal: EntryStates
  /** What must stand there now, so that nothing of anybody else is lost: any of these. */
  readonly expected: Readonly<Record<string, readonly EntryState[]>>
  /** Why it cannot be done. */
  readonly conflicts: readonly Conflict[]
  /** Calls among them that may have changed more than is known. */
  readonly uncovered: number
}

export interface Conflict {
  readonly path: string
  readonly reason: string
}

/** From the call to go back before, and all that came after it. */
export function planRewind(records: readonly CheckpointRecord[]): RewindPlan {
  const goal: Record<string, EntryState> = {}
  const expected: Record<string, readonly EntryState[]> = {}
  const conflicts = new Map<string, Conflict>()
  for (const record of records) {
    for (const [path, before] of Object.entries(record.before)) {
      const known = expected[path]
      if (known === undefined) goal[path] = before
      else if (!known.some((state) => isSameState(state, before)) && !conflicts.has(path)) {
        const reason = `was changed by somebody else before ${record.id}; go back to ${record.id} at the earliest`
        conflicts.set(path, { path, reason })
      }
      expected[path] = statesLeft(record, path, before)
    }
  }
  for (const [path, state] of Object.entries(goal)) {
    if (state.kind === 'lost') conflicts.set(path, { path, reason: `was not kept: ${state.reason}` })
  }
  const uncovered = records.filter(({ unknown }) => unknown).length
  return { goal, expected, conflicts: [...conflicts.values()], uncovered }
}

/** What a call may have left; where nobody was left to look, nothing but what it found, or what it meant to bring back. */
function statesLeft({ after, goal }: CheckpointRecord, path: string, before: EntryState): readonly EntryState[] {
  const left = after?.[path]
  if (left !== undefined) return [left]
  const meant = goal?.[path]
  return meant === undefined ? [before] : [before, meant]
}
