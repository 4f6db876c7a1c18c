import { isRecord } from '../../shared/is-record.js'

export type CellData = Readonly<Record<string, unknown>>

export function cellAt(cells: readonly unknown[], index: number): CellData {
  const cell = cells[index]
  return isRecord(cell) ? cell : {}
}

export function idOf(cell: CellData, index: number): string {
  return typeof cell.id === 'string' ? cell.id : `cell-${index}`
}

export function typeOf({ cell_type: type }: CellData): string {
  return typeof type === 'string' ? type : 'raw'
}

export function sourceOf({ source }: CellData): string {
  return typeof source === 'string' ? source : Array.isArray(source) ? source.join('') : ''
}

/** A text as notebooks have it: a list of lines, each with its end. */
export function sourceLines(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** With its members in the order in which Jupyter writes them. */
export function sortMembers(cell: CellData): CellData {
  return Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)))
}
