import { type EntryState, type EntryStates, isSameState } from './entry-state.js'
import type { RewindPlan } from './plan-rewind.js'
import { type Conflict, RewindError } from './rewind-error.js'
import { takeState } from './take-state.js'

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
