import type { TextChange } from '../../shared/text-edit/text-change.js'
import { cellAt, idOf, sourceOf, typeOf } from './cell-data.js'
import { deleteCell } from './delete-cell.js'
import { findCell } from './find-cell.js'
import { insertCell, newCell } from './insert-cell.js'
import { NotebookEditError } from './notebook-edit-error.js'
import { openNotebook } from './open-notebook.js'
import { replaceCell } from './replace-cell.js'

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
