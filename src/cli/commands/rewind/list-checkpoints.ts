import type { CheckpointRecord } from '../../../ports/checkpoints/checkpoint-log.js'
import { type EntryChange, listChanges } from '../../../ports/checkpoints/plan-rewind.js'
import { toRelativePath } from '../../../shared/path-containment.js'
import { toPrintable } from '../../../shared/printable.js'
import { hasEnded } from '../../../system/processes/process-identity.js'
import { truncateText } from '../../io/terminal-text.js'

/** A checkpoint as shown to the user and printed by `--json`. */
export interface ListedCheckpoint {
  readonly id: string
  readonly at: string
  readonly session: string
  readonly toolUseId?: string
  /** The tool and a summary of its input. */
  readonly title?: string
  /** For a running or interrupted (`cut off`) call, `changes` may be incomplete. */
  readonly state: 'ended' | 'running' | 'cut off'
  /** False if the call may have changed more than is listed. */
  readonly isCovered: boolean
  /** The checkpoint that was restored, if a rewind created this one. */
  readonly rewindTo?: string
  readonly changes: readonly EntryChange[]
}

/** Lists the checkpoints newest first, without those of calls that certainly changed nothing. */
export function toListedCheckpoints(records: readonly CheckpointRecord[]): readonly ListedCheckpoint[] {
  const checkpoints = records.map((record): ListedCheckpoint => {
    const { id, session, toolUseId, title, rewindTo } = record
    return {
      id,
      at: new Date(record.at).toISOString(),
      session,
      ...(toolUseId !== undefined && { toolUseId }),
      ...(title !== undefined && { title }),
      state: stateOf(record),
      isCovered: !record.unknown,
      ...(rewindTo !== undefined && { rewindTo }),
      changes: listChanges(record),
    }
  })
  return checkpoints.filter(({ changes, isCovered }) => changes.length > 0 || !isCovered).reverse()
}

function stateOf({ after, owner }: CheckpointRecord): ListedCheckpoint['state'] {
  if (after !== undefined) return 'ended'
  return owner === undefined || hasEnded(owner) ? 'cut off' : 'running'
}

/** Further changes of a call are only counted. */
const MAX_LISTED_CHANGES = 3

/** Draws one line for each checkpoint, cut to the width of the terminal. */
export function drawCheckpoints(
  listedCheckpoints: readonly ListedCheckpoint[],
  root: string,
  columns: number | undefined,
): string {
  if (listedCheckpoints.length === 0) return 'No changes to undo.\n'
  const lines = listedCheckpoints.map((checkpoint) => {
    const line = `${checkpoint.id}  ${formatLocalTime(checkpoint.at)}  ${describeCheckpoint(checkpoint, root)}`
    return columns === undefined ? line : truncateText(line, columns)
  })
  return `${lines.join('\n')}\n`
}

/** Returns the printable path, relative to the project root if that is shorter. */
export function toShownPath(path: string, root: string): string {
  return toPrintable(toRelativePath(path, root) || path)
}

function formatLocalTime(at: string): string {
  // The Swedish locale formats dates and times in ISO order.
  return new Date(at).toLocaleString('sv-SE')
}

function describeCheckpoint({ changes, isCovered, rewindTo, title, state }: ListedCheckpoint, root: string): string {
  const name = rewindTo === undefined ? title : `rewind to ${rewindTo}`
  const listedChanges = changes
    .slice(0, MAX_LISTED_CHANGES)
    .map(({ path, change }) => `${CHANGE_VERBS[change]} ${toShownPath(path, root)}`)
  const unlistedCount = changes.length - listedChanges.length
  const parts = [
    ...(state === 'ended' ? [] : [STATE_NOTES[state]]),
    ...listedChanges,
    ...(unlistedCount > 0 ? [`${unlistedCount} more`] : []),
    ...(isCovered ? [] : ['incomplete']),
  ]
  return name === undefined ? parts.join(', ') : `${toPrintable(name.replace(/\s+/g, ' '))}: ${parts.join(', ')}`
}

const CHANGE_VERBS = { made: 'made', changed: 'changed', removed: 'removed', unsettled: 'may have changed' } as const
const STATE_NOTES = { running: 'still running', 'cut off': 'cut off' } as const
