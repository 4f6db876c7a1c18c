import { parseMembersAt } from '../../edits/notebook/parse-json.js'
import type { TextChange } from '../../edits/text/text-change.js'
import { isRecord } from '../../shared/is-record.js'
import type { Steps } from '../../shared/steps.js'
import { CELL_DEPTH, NotebookEditError, type OpenNotebook, openNotebook, writeJson } from './notebook-json.js'

export interface NotebookEdit {
  readonly mode: 'replace' | 'insert' | 'delete'
  readonly cellId?: string | undefined
  readonly cellType?: 'code' | 'markdown' | undefined
  readonly source: string
  /** The ID for an inserted cell. It is used only if the notebook format has IDs. */
  readonly newId: string
}

export interface PlannedNotebookEdit {
  readonly changes: readonly TextChange[]
  /** The ID of the cell after the edit. */
  readonly cellId: string
  readonly cellType: string
  readonly oldSource: string
}

/** Plans an edit that changes only one cell in the text of the notebook. */
export function* planNotebookEdit(text: string, edit: NotebookEdit): Steps<PlannedNotebookEdit> {
  const notebook = yield* openNotebook(text)
  const { cells } = notebook
  const { mode, cellId, cellType, source, newId } = edit
  if (mode === 'insert') {
    if (cellType === undefined) throw new NotebookEditError('insert needs cell_type: "code" or "markdown".')
    const index = cellId === undefined ? 0 : findCellIndex(cells, cellId) + 1
    const cell = createCell(notebook, cellType, source, newId)
    return { changes: [insertCell(notebook, index, cell)], cellId: getId(cell, index), cellType, oldSource: '' }
  }
  if (cellId === undefined)
    throw new NotebookEditError(`${mode} needs cell_id. Read the notebook to see the ids of its cells.`)
  const index = findCellIndex(cells, cellId)
  const cell = readCellAt(cells, index)
  const editedCell = { cellId: getId(cell, index), cellType: cellType ?? getType(cell), oldSource: getSource(cell) }
  if (mode === 'delete') return { ...editedCell, cellType: getType(cell), changes: [deleteCell(notebook, index)] }
  return { ...editedCell, changes: yield* replaceCell(notebook, index, source, cellType) }
}

/** Returns the index of a cell from its ID, or from `cell-N` (counted from 0), which Read shows for cells without an ID. */
function findCellIndex(cells: readonly unknown[], cellId: string): number {
  const indexes = cells.flatMap((cell, index) => (isRecord(cell) && cell.id === cellId ? [index] : []))
  if (indexes.length > 1)
    throw new NotebookEditError(
      `${indexes.length} cells have the id ${JSON.stringify(cellId)}. Change the file with Edit.`,
    )
  const [index = findIndexByNumber(cells, cellId)] = indexes
  if (index === undefined) throw new NotebookEditError(describeUnknownCell(cells, cellId))
  return index
}

/** Returns the index of a cell without an ID from its number. A cell with an ID cannot be addressed by number, to avoid mistakes. */
function findIndexByNumber(cells: readonly unknown[], cellId: string): number | undefined {
  const number = /^cell-(\d{1,9})$/.exec(cellId)?.[1]
  if (number === undefined) return undefined
  const cell = cells[Number(number)]
  return cell !== undefined && !(isRecord(cell) && typeof cell.id === 'string') ? Number(number) : undefined
}

const MAX_LISTED_IDS = 20

function describeUnknownCell(cells: readonly unknown[], cellId: string): string {
  const ids = cells.map((cell, index) => (isRecord(cell) && typeof cell.id === 'string' ? cell.id : `cell-${index}`))
  const listedIds =
    ids.length > MAX_LISTED_IDS
      ? `${ids.slice(0, MAX_LISTED_IDS).join(', ')} and ${ids.length - MAX_LISTED_IDS} more`
      : ids.join(', ')
  const knownCells = ids.length === 0 ? 'The notebook has no cells.' : `Cells: ${listedIds}.`
  return `Unknown cell id ${JSON.stringify(cellId)}. ${knownCells}`
}

/** Returns a new cell as Jupyter would write it. `newId` is used only if the format has IDs. */
function createCell({ data }: OpenNotebook, cellType: string, source: string, newId: string): CellData {
  return sortMembers({
    cell_type: cellType,
    ...(supportsIds(data) && { id: newId }),
    metadata: {},
    source: splitSource(source),
    ...(cellType === 'code' && { execution_count: null, outputs: [] }),
  })
}

/** Whether cells have IDs, as they do from format 4.5 on. Readers would reject an older file with IDs. */
function supportsIds({ nbformat, nbformat_minor: minor }: CellData): boolean {
  return Number(nbformat) > 4 || (Number(nbformat) === 4 && Number(minor) >= 5)
}

function insertCell({ style, cellsSpan }: OpenNotebook, index: number, cell: CellData): TextChange {
  const { indent, lineEnd } = style
  const cellJson = writeJson(cell, CELL_DEPTH, style)
  const newline = indent === '' ? '' : lineEnd + indent.repeat(CELL_DEPTH)
  const gap = newline === '' ? ' ' : newline
  const [cellBefore, cellAfter] = [cellsSpan.items[index - 1], cellsSpan.items[index]]
  if (cellAfter !== undefined) return { start: cellAfter.start, end: cellAfter.start, text: `${cellJson},${gap}` }
  if (cellBefore !== undefined) return { start: cellBefore.end, end: cellBefore.end, text: `,${gap}${cellJson}` }
  const close = indent === '' ? '' : lineEnd + indent
  return { start: cellsSpan.start, end: cellsSpan.end, text: `[${newline}${cellJson}${close}]` }
}

/** Returns the changes that replace the source of a cell and, if `cellType` is set, its type. */
function* replaceCell(
  { text, style, cells, cellsSpan }: OpenNotebook,
  index: number,
  source: string,
  cellType: string | undefined,
): Steps<readonly TextChange[]> {
  const cell = readCellAt(cells, index)
  const span = cellsSpan.items[index] ?? cellsSpan
  const { members } = text[span.start] === '{' ? yield* parseMembersAt(text, span.start) : NO_MEMBERS
  if (cellType !== undefined && cellType !== getType(cell)) {
    const keptMembers = members.filter(({ name }) => !MEMBERS_OF_ONE_TYPE.has(name) && name !== 'source')
    if (keptMembers.some(({ start, end }) => end - start > MAX_CONVERTED_CHARS))
      throw new NotebookEditError('The cell is too large to change its type. Delete it and insert a new one.')
    const json = writeJson(convertCell(cell, cellType, source), CELL_DEPTH, style)
    return [{ start: span.start, end: span.end, text: json }]
  }
  // Of several equal names the last one applies, as in JSON.parse.
  const membersByName = new Map(members.map((member) => [member.name, member]))
  if (!membersByName.has('source'))
    throw new NotebookEditError('The cell has no source to replace. Delete it and insert a new one.')
  return Object.entries(createNewValues(cell, source))
    .flatMap(([name, value]): TextChange[] => {
      const member = membersByName.get(name)
      if (member === undefined) return []
      const json = writeJson(value, CELL_DEPTH + 1, style)
      return json === text.slice(member.start, member.end) ? [] : [{ start: member.start, end: member.end, text: json }]
    })
    .sort((a, b) => a.start - b.start)
}

const NO_MEMBERS = { members: [] }
/** Serialising a longer member would block the event loop. */
const MAX_CONVERTED_CHARS = 500_000
/** The members that only cells of one type have. They are left out if the type changes. */
const MEMBERS_OF_ONE_TYPE: ReadonlySet<string> = new Set(['outputs', 'execution_count', 'attachments'])

/** Returns the new values of a changed cell. The outputs of a code cell are cleared, because they are outdated. */
function createNewValues(cell: CellData, source: string): CellData {
  const newSource = typeof cell.source === 'string' ? source : splitSource(source)
  return getType(cell) === 'code' ? { source: newSource, outputs: [], execution_count: null } : { source: newSource }
}

/** Returns the cell converted to another type. Only code cells have outputs. */
function convertCell(cell: CellData, cellType: string, source: string): CellData {
  const keptMembers = Object.fromEntries(Object.entries(cell).filter(([name]) => !MEMBERS_OF_ONE_TYPE.has(name)))
  const convertedCell = { ...keptMembers, cell_type: cellType, source: splitSource(source) }
  return cellType === 'code' ? sortMembers({ ...convertedCell, execution_count: null, outputs: [] }) : convertedCell
}

/** Returns the change that removes a cell and its comma. */
function deleteCell({ cellsSpan }: OpenNotebook, index: number): TextChange {
  const { items } = cellsSpan
  const cell = items[index] ?? cellsSpan
  const [itemBefore, itemAfter] = [items[index - 1], items[index + 1]]
  if (itemAfter !== undefined) return { start: cell.start, end: itemAfter.start, text: '' }
  if (itemBefore !== undefined) return { start: itemBefore.end, end: cell.end, text: '' }
  return { start: cellsSpan.start + 1, end: cellsSpan.end - 1, text: '' }
}

type CellData = Readonly<Record<string, unknown>>

function readCellAt(cells: readonly unknown[], index: number): CellData {
  const cell = cells[index]
  return isRecord(cell) ? cell : {}
}

function getId(cell: CellData, index: number): string {
  return typeof cell.id === 'string' ? cell.id : `cell-${index}`
}

function getType({ cell_type: type }: CellData): string {
  return typeof type === 'string' ? type : 'raw'
}

function getSource({ source }: CellData): string {
  return typeof source === 'string' ? source : Array.isArray(source) ? source.join('') : ''
}

/** Splits a source into lines with their endings, which is how notebooks store it. */
function splitSource(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Sorts the members by name, as Jupyter does. */
function sortMembers(cell: CellData): CellData {
  return Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)))
}
