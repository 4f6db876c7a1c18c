import type { TextChange } from '../../shared/text-edit/text-change.js'
import type { JsonSpan } from './json-spans.js'
import type { OpenNotebook } from './open-notebook.js'

/** What to take out so that a cell is gone, and the comma with it. */
export function deleteCell({ cellsSpan }: OpenNotebook, index: number): TextChange {
  const items = cellsSpan.items ?? []
  const cell = items[index] as JsonSpan
  const [before, after] = [items[index - 1], items[index + 1]]
  if (after !== undefined) return { start: cell.start, end: after.start, text: '' }
  if (before !== undefined) return { start: before.end, end: cell.end, text: '' }
  return { start: cellsSpan.start + 1, end: cellsSpan.end - 1, text: '' }
}
