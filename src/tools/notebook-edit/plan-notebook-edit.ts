import type { TextChange } from '../../edits/text/text-change.js'
import { isRecord } from '../../shared/is-record.js'
import {
  CELL_DEPTH,
  type JsonSpan,
  NotebookEditError,
  type OpenNotebook,
  openNotebook,
  writeJson,
} from './notebook-json.js'

export interface NotebookEdit {
  readonly mode: 'replace' | 'insert' | 'delete'
  readonly cellId?: string | undefined
  readonly cellType?: 'code' | 'markdown' | undefined
  readonly source: string
  /** The id of a cell that is inserted, where the format has ids. */
  readonly newId: string
}

export interface PlannedNotebookEdit {
  readonly changes: readonly TextChange[]
  /** By which the cell is found from now on. */
  readonly cellId: string
  readonly cellType: string
  readonly oldSource: string
}

/** Plans a change to the text of a notebook that touches nothing but the cell it is about. */
export function planNotebookEdit(text: string, edit: NotebookEdit): PlannedNotebookEdit {
  const notebook = openNotebook(text)
  const { cells } = notebook
  const { mode, cellId, cellType, source, newId } = edit
  if (mode === 'insert') {
    if (cellType === undefined) throw new NotebookEditError('insert needs cell_type: "code" or "markdown".')
    const index = cellId === undefined ? 0 : findCell(cells, cellId) + 1
    const cell = newCell(notebook, cellType, source, newId)
    return { changes: [insertCell(notebook, index, cell)], cellId: idOf(cell, index), cellType, oldSource: '' }
  }
  if (cellId === undefined)
    throw new NotebookEditError(`${mode} needs cell_id. Read the notebook to see the ids of its cells.`)
  const index = findCell(cells, cellId)
  const cell = cellAt(cells, index)
  const told = { cellId: idOf(cell, index), cellType: cellType ?? typeOf(cell), oldSource: sourceOf(cell) }
  if (mode === 'delete') return { ...told, cellType: typeOf(cell), changes: [deleteCell(notebook, index)] }
  return { ...told, changes: replaceCell(notebook, index, source, cellType) }
}

/** The place of a cell by its id, or by `cell-` and its number from 0 as Read shows it where there are no ids. */
function findCell(cells: readonly unknown[], cellId: string): number {
  const found = cells.flatMap((cell, index) => (isRecord(cell) && cell.id === cellId ? [index] : []))
  if (found.length > 1)
    throw new NotebookEditError(
      `${found.length} cells have the id ${JSON.stringify(cellId)}. Change the file with Edit.`,
    )
  const [index = numbered(cells, cellId)] = found
  if (index === undefined) throw new NotebookEditError(unknownCell(cells, cellId))
  return index
}

/** Only a cell without an id goes by its number: else one could be hit that nobody meant. */
function numbered(cells: readonly unknown[], cellId: string): number | undefined {
  const number = /^cell-(\d{1,9})$/.exec(cellId)?.[1]
  if (number === undefined) return undefined
  const cell = cells[Number(number)]
  return cell !== undefined && !(isRecord(cell) && typeof cell.id === 'string') ? Number(number) : undefined
}

const MAX_NAMED = 20

function unknownCell(cells: readonly unknown[], cellId: string): string {
  const ids = cells.map((cell, index) => (isRecord(cell) && typeof cell.id === 'string' ? cell.id : `cell-${index}`))
  const named =
    ids.length > MAX_NAMED ? `${ids.slice(0, MAX_NAMED).join(', ')} and ${ids.length - MAX_NAMED} more` : ids.join(', ')
  const have = ids.length === 0 ? 'The notebook has no cells.' : `There are ${named}.`
  return `No cell has the id ${JSON.stringify(cellId)}. ${have}`
}

/** A new cell as Jupyter would write it; `newId` is its id where the format has ids. */
function newCell({ data }: OpenNotebook, cellType: string, source: string, newId: string): CellData {
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
function insertCell({ style, cellsSpan }: OpenNotebook, index: number, cell: CellData): TextChange {
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

/** What to change so that a cell has another source, and another type where one is given. */
function replaceCell(
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

/** What to take out so that a cell is gone, and the comma with it. */
function deleteCell({ cellsSpan }: OpenNotebook, index: number): TextChange {
  const items = cellsSpan.items ?? []
  const cell = items[index] as JsonSpan
  const [before, after] = [items[index - 1], items[index + 1]]
  if (after !== undefined) return { start: cell.start, end: after.start, text: '' }
  if (before !== undefined) return { start: before.end, end: cell.end, text: '' }
  return { start: cellsSpan.start + 1, end: cellsSpan.end - 1, text: '' }
}

type CellData = Readonly<Record<string, unknown>>

function cellAt(cells: readonly unknown[], index: number): CellData {
  const cell = cells[index]
  return isRecord(cell) ? cell : {}
}

function idOf(cell: CellData, index: number): string {
  return typeof cell.id === 'string' ? cell.id : `cell-${index}`
}

function typeOf({ cell_type: type }: CellData): string {
  return typeof type === 'string' ? type : 'raw'
}

function sourceOf({ source }: CellData): string {
  return typeof source === 'string' ? source : Array.isArray(source) ? source.join('') : ''
}

/** A text as notebooks have it: a list of lines, each with its end. */
function sourceLines(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** With its members in the order in which Jupyter writes them. */
function sortMembers(cell: CellData): CellData {
  return Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)))
}
