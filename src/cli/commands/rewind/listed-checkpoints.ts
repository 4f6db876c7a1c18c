import { changesOf, type EntryChange } from '../../../ports/checkpoints/changes-of.js'
import type { CheckpointRecord } from '../../../ports/checkpoints/checkpoint-log.js'
import { isOwnerGone } from '../../../ports/files/owner-mark.js'

/** A checkpoint as a person sees it, and as `--json` gives it. */
export interface ListedCheckpoint {
  readonly id: string
  readonly at: string
  readonly session: string
  readonly toolUseId?: string
  /** The tool and what it was to do. */
  readonly title?: string
  /** Of what still runs or was cut off, nobody has noted what it left. */
  readonly state: 'ended' | 'running' | 'cut off'
  /** False where more may have been changed than is listed. */
  readonly isCovered: boolean
  /** The checkpoint that a rewind went back to. */
  readonly rewindTo?: string
  readonly changes: readonly EntryChange[]
}

/** Newest first, without calls that changed nothing. */
export function listedCheckpoints(records: readonly CheckpointRecord[]): readonly ListedCheckpoint[] {
  const all = records.map((record): ListedCheckpoint => {
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
      changes: changesOf(record),
    }
  })
  return all.filter(({ changes, isCovered }) => changes.length > 0 || !isCovered).reverse()
}

function stateOf({ after, owner }: CheckpointRecord): ListedCheckpoint['state'] {
  if (after !== undefined) return 'ended'
  return owner === undefined || isOwnerGone(owner) ? 'cut off' : 'running'
}
