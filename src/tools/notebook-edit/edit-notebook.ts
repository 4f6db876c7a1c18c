import { isRecord } from '../../shared/is-record.js'
import type { TextChange } from '../../shared/text-edit/text-change.js'
import { findCell } from './find-cell.js'
import { type JsonSpan, jsonSpans } from './json-spans.js'
import { type JsonStyle, jsonStyle, writeJson } from './json-style.js'
import { NotebookEditError } from './notebook-edit-error.js'

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

/** A notebook as data and as text, side by side. */
interface Opened {
  readonly text: string
  readonly style: JsonStyle
  readonly notebook: Record<string, unknown>
  readonly cells: readonly unknown[]
  readonly span: JsonSpan
}

/** Plans a change to the text of a notebook that touches nothing but the cell it is about. */
export function planNotebookEdit(text: string, edit: NotebookEdit): PlannedNotebookEdit {
  const opened = openNotebook(text)
  if (edit.mode === 'insert') return insertCell(opened, edit)
  if (edit.cellId === undefined)
    throw new NotebookEditError(`${edit.mode} needs cell_id. Read the notebook to see the ids of its cells.`)
  const index = findCell(opened.cells, edit.cellId)
  return edit.mode === 'delete' ? deleteCell(opened, index) : replaceCell(opened, index, edit)
}

function openNotebook(text: string): Opened {
  let notebook: unknown
  try {
    notebook = JSON.parse(text)
  } catch (cause) {
    throw new NotebookEditError('The file is not valid JSON, so it is no notebook. Put it right with Edit first.', { cause })
  }
  const span = jsonSpans(text).members?.get('cells')?.value
  if (!isRecord(notebook) || !Array.isArray(notebook.cells) || span === undefined)
    throw new NotebookEditError('The file has no list of cells, so it is no notebook of format 4. Use Edit for it.')
  return { text, style: jsonStyle(text), notebook, cells: notebook.cells, span }
}

/** Cells stand in the list of the object that is the file. */
const CELL_DEPTH = 2

function replaceCell(opened: Opened, index: number, edit: NotebookEdit): PlannedNotebookEdit {
  const { text, style, span } = opened
  const cell = recordAt(opened, index)
  const cellSpan = span.items?.[index] as JsonSpan
  const oldType = typeof cell.cell_type === 'string' ? cell.cell_type : 'raw'
  const cellType = edit.cellType ?? oldType
  const plan = { cellId: idOf(cell, index), cellType, oldSource: sourceOf(cell) }
  if (cellType !== oldType) {
    const written = writeJson(ofType(cell, cellType, edit.source), CELL_DEPTH, style)
    return { ...plan, changes: [{ start: cellSpan.start, end: cellSpan.end, text: written }] }
  }
  const isString = typeof cell.source === 'string'
  const values: Record<string, unknown> = { source: isString ? edit.source : sourceLines(edit.source) }
  // What a changed cell gave before says nothing about what it gives now.
  if (cellType === 'code') Object.assign(values, { outputs: [], execution_count: null })
  const changes = Object.entries(values).flatMap(([name, value]): TextChange[] => {
    const member = cellSpan.members?.get(name)
    if (member === undefined) return []
    const { start, end } = member.value
    const written = writeJson(value, CELL_DEPTH + 1, style)
    return written === text.slice(start, end) ? [] : [{ start, end, text: written }]
  })
  if (cellSpan.members?.has('source') !== true)
    throw new NotebookEditError('The cell has no source to replace. Delete it and insert a new one.')
  return { ...plan, changes: changes.sort((a, b) => a.start - b.start) }
}

/** The cell as one of another type: only code has outputs. */
function ofType(cell: Record<string, unknown>, cellType: string, source: string): Record<string, unknown> {
  const { outputs: _, execution_count: __, attachments: ___, ...kept } = cell
  const changed = { ...kept, cell_type: cellType, source: sourceLines(source) }
  return cellType === 'code' ? sorted({ ...changed, execution_count: null, outputs: [] }) : changed
}

function insertCell(opened: Opened, { cellId, cellType, source, newId }: NotebookEdit): PlannedNotebookEdit {
  const { cells, notebook, span, style } = opened
  if (cellType === undefined) throw new NotebookEditError('insert needs cell_type: "code" or "markdown".')
  const at = cellId === undefined ? 0 : findCell(cells, cellId) + 1
  const cell = sorted({
    cell_type: cellType,
    ...(hasIds(notebook) && { id: newId }),
    metadata: {},
    source: sourceLines(source),
    ...(cellType === 'code' && { execution_count: null, outputs: [] }),
  })
  const written = writeJson(cell, CELL_DEPTH, style)
  return { changes: [insertion(opened, at, written)], cellId: idOf(cell, at), cellType, oldSource: '' }

  function insertion({ text }: Opened, index: number, item: string): TextChange {
    const items = span.items ?? []
    const newline = style.indent === '' ? '' : style.lineEnd + style.indent.repeat(CELL_DEPTH)
    const next = items[index]
    if (next !== undefined) return { start: next.start, end: next.start, text: `${item},${newline || ' '}` }
    const last = items.at(-1)
    if (last !== undefined) return { start: last.end, end: last.end, text: `,${newline || ' '}${item}` }
    const close = style.indent === '' ? '' : style.lineEnd + style.indent
    return { start: span.start, end: span.end, text: `[${newline}${item}${close}]`.slice(0, text.length + item.length) }
  }
}

function deleteCell(opened: Opened, index: number): PlannedNotebookEdit {
  const { span } = opened
  const items = span.items ?? []
  const cell = recordAt(opened, index)
  const [item, before, after] = [items[index] as JsonSpan, items[index - 1], items[index + 1]]
  const change =
    after !== undefined
      ? { start: item.start, end: after.start }
      : before !== undefined
        ? { start: before.end, end: item.end }
        : { start: span.start + 1, end: span.end - 1 }
  const cellType = String(cell.cell_type)
  return { changes: [{ ...change, text: '' }], cellId: idOf(cell, index), cellType, oldSource: sourceOf(cell) }
}

function recordAt({ cells }: Opened, index: number): Record<string, unknown> {
  const cell = cells[index]
  return isRecord(cell) ? cell : {}
}

function idOf(cell: Record<string, unknown>, index: number): string {
  return typeof cell.id === 'string' ? cell.id : `cell-${index}`
}

function sourceOf({ source }: Record<string, unknown>): string {
  return typeof source === 'string' ? source : Array.isArray(source) ? source.join('') : ''
}

/** A text as notebooks have it: a list of lines, each with its end. */
function sourceLines(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Ids came with format 4.5; an older file that got one would be refused by its readers. */
function hasIds({ nbformat, nbformat_minor: minor }: Record<string, unknown>): boolean {
  return Number(nbformat) > 4 || (Number(nbformat) === 4 && Number(minor) >= 5)
}

/** As Jupyter writes them. */
function sorted(cell: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)))
}
