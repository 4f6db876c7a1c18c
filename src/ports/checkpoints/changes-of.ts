import type { CheckpointRecord } from './checkpoint-log.js'
import { type EntryState, isSameState } from './entry-state.js'

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
