import { isRecord } from '../../shared/is-record.js'
import { NotebookEditError } from './notebook-edit-error.js'

/** The place of a cell by its id, or by `cell-` and its number from 0 as Read shows it where there are no ids. */
export function findCell(cells: readonly unknown[], cellId: string): number {
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
