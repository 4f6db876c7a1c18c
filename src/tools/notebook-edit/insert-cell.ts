import type { TextChange } from '../../shared/text-edit/text-change.js'
import { type CellData, sortMembers, sourceLines } from './cell-data.js'
import { writeJson } from './json-style.js'
import { CELL_DEPTH, type OpenNotebook } from './open-notebook.js'

/** A new cell as Jupyter would write it; `newId` is its id where the format has ids. */
export function newCell({ data }: OpenNotebook, cellType: string, source: string, newId: string): CellData {
  return sortMembers({
    cell_type: cellType,
    ...(hasIds(data) && { id: newId }),
    metadata: {},
    source: sourceLines(source),
    ...(cellType === 'code' && { execution_count: null, outputs: [] }),
  })
}

/** Ids came with format 4.5; an older file that got one would be refused by its readers. */
function hasIds({ nbformat, nbformat_minor: minor }: CellData): boolean {
  return Number(nbformat) > 4 || (Number(nbformat) === 4 && Number(minor) >= 5)
}

/** What to change so that a cell stands at a place of the list. */
export function insertCell({ style, cellsSpan }: OpenNotebook, index: number, cell: CellData): TextChange {
  const { indent, lineEnd } = style
  const written = writeJson(cell, CELL_DEPTH, style)
  const newline = indent === '' ? '' : lineEnd + indent.repeat(CELL_DEPTH)
  const gap = newline === '' ? ' ' : newline
  const [before, after] = [cellsSpan.items?.[index - 1], cellsSpan.items?.[index]]
  if (after !== undefined) return { start: after.start, end: after.start, text: `${written},${gap}` }
  if (before !== undefined) return { start: before.end, end: before.end, text: `,${gap}${written}` }
  const close = indent === '' ? '' : lineEnd + indent
  return { start: cellsSpan.start, end: cellsSpan.end, text: `[${newline}${written}${close}]` }
}
