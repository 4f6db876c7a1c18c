import type { Row } from './row.js'

/** The rows of a footer, and the one of them that has the cursor. */
export interface CursorRows {
  readonly shown: readonly Row[]
  readonly row: number
}

/** How a terminal moves its lines and the cursor when its width changes. */
export interface ReflowRules {
  /** Whether the terminal wraps lines again. */
  readonly isWrapping: boolean
  /**
   * Whether the terminal behaves like xterm.js, which wraps from the bottom up and moves the cursor down for each row that
   * it adds, even below the cursor. It does not wrap the row where the cursor is at that time.
   */
  readonly movesForRowsBelow: boolean
}

/** Returns the number of rows of a line with this width on a terminal with `columns` columns. */
export function countRows(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns))
}

/**
 * Returns the number of rows from the first row to the cursor, after the terminal has wrapped the rows for a new width. The row
 * of the cursor itself counts as not wrapped.
 */
export function countRowsAbove({ shown, row }: CursorRows, columns: number, rules: ReflowRules): number {
  if (!rules.isWrapping) return row
  let addedRows = 0
  for (let index = shown.length - 1; index >= 0; index--) {
    const isCounted = rules.movesForRowsBelow ? index !== row + addedRows : index < row
    if (isCounted) addedRows += countRows(shown[index]?.width ?? 0, columns) - 1
  }
  return row + addedRows
}
