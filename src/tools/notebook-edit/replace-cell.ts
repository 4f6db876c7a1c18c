import type { TextChange } from '../../shared/text-edit/text-change.js'
import { type CellData, cellAt, sortMembers, sourceLines, typeOf } from './cell-data.js'
import type { JsonSpan } from './json-spans.js'
import { writeJson } from './json-style.js'
import { NotebookEditError } from './notebook-edit-error.js'
import { CELL_DEPTH, type OpenNotebook } from './open-notebook.js'

/** What to change so that a cell has another source, and another type where one is given. */
export function replaceCell(
  { text, style, cells, cellsSpan }: OpenNotebook,
  index: number,
  source: string,
  cellType: string | undefined,
): readonly TextChange[] {
  const cell = cellAt(cells, index)
  const span = cellsSpan.items?.[index] as JsonSpan
  if (cellType !== undefined && cellType !== typeOf(cell)) {
    const written = writeJson(ofType(cell, cellType, source), CELL_DEPTH, style)
    return [{ start: span.start, end: span.end, text: written }]
  }
  if (span.members?.has('source') !== true)
    throw new NotebookEditError('The cell has no source to replace. Delete it and insert a new one.')
  return Object.entries(newValues(cell, source))
    .flatMap(([name, value]): TextChange[] => {
      const place = span.members?.get(name)?.value
      if (place === undefined) return []
      const written = writeJson(value, CELL_DEPTH + 1, style)
      return written === text.slice(place.start, place.end)
        ? []
        : [{ start: place.start, end: place.end, text: written }]
    })
    .sort((a, b) => a.start - b.start)
}

/** What a changed cell gave before says nothing about what it gives now, so that goes, as in Jupyter. */
function newValues(cell: CellData, source: string): CellData {
  const written = typeof cell.source === 'string' ? source : sourceLines(source)
  return typeOf(cell) === 'code' ? { source: written, outputs: [], execution_count: null } : { source: written }
}

/** The cell as one of another type: only code has outputs. */
function ofType(cell: CellData, cellType: string, source: string): CellData {
  const { outputs: _, execution_count: __, attachments: ___, ...kept } = cell
  const changed = { ...kept, cell_type: cellType, source: sourceLines(source) }
  return cellType === 'code' ? sortMembers({ ...changed, execution_count: null, outputs: [] }) : changed
}
