import { shorterPath } from '../../../shared/path-containment.js'
import { printable } from '../../../shared/printable.js'
import { cutText } from '../../terminal-text.js'
import type { ListedCheckpoint } from './listed-checkpoints.js'

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
