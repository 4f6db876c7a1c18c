import type { CheckpointRecord } from '../../../ports/checkpoints/checkpoint-log.js'
import { changesOf, type EntryChange } from '../../../ports/checkpoints/plan-rewind.js'
import { shorterPath } from '../../../shared/path-containment.js'
import { printable } from '../../../shared/printable.js'
import { hasEnded } from '../../../system/processes/process-identity.js'
import { cutText } from '../../io/terminal-text.js'

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
  return owner === undefined || hasEnded(owner) ? 'cut off' : 'running'
}

/** Of a call that changed many, the first are enough. */
const MAX_NAMED = 3

/** One line for each checkpoint. */
export function drawCheckpoints(
  listed: readonly ListedCheckpoint[],
  root: string,
  columns: number | undefined,
): string {
  if (listed.length === 0) return 'Nothing has been changed here that could be undone.\n'
  const lines = listed.map((checkpoint) => {
    const line = `${checkpoint.id}  ${localTime(checkpoint.at)}  ${description(checkpoint, root)}`
    return columns === undefined ? line : cutText(line, columns)
  })
  return `${lines.join('\n')}\n`
}

/** From the project's folder where it lies below it. */
export function shownPath(path: string, root: string): string {
  return printable(shorterPath(path, root))
}

function localTime(at: string): string {
  // The one locale that writes a time as everybody can sort it.
  return new Date(at).toLocaleString('sv-SE')
}

function description({ changes, isCovered, rewindTo, title, state }: ListedCheckpoint, root: string): string {
  const name = rewindTo === undefined ? title : `rewind to ${rewindTo}`
  const named = changes.slice(0, MAX_NAMED).map(({ path, change }) => `${VERBS[change]} ${shownPath(path, root)}`)
  const more = changes.length - named.length
  const parts = [
    ...(state === 'ended' ? [] : [STATES[state]]),
    ...named,
    ...(more > 0 ? [`${more} more`] : []),
    ...(isCovered ? [] : ['not covered']),
  ]
  return name === undefined ? parts.join(', ') : `${printable(name.replace(/\s+/g, ' '))}: ${parts.join(', ')}`
}

const VERBS = { made: 'made', changed: 'changed', removed: 'removed', unsettled: 'perhaps changed' } as const
const STATES = { running: 'still running', 'cut off': 'cut off' } as const
