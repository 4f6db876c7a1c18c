import { isRecord } from '../../shared/is-record.js'
import { type JsonSpan, jsonSpans } from './json-spans.js'
import { type JsonStyle, jsonStyle } from './json-style.js'
import { NotebookEditError } from './notebook-edit-error.js'

/** A notebook as data and as text, side by side. */
export interface OpenNotebook {
  readonly text: string
  readonly style: JsonStyle
  readonly data: Readonly<Record<string, unknown>>
  readonly cells: readonly unknown[]
  /** Where the list of cells stands in the text. */
  readonly cellsSpan: JsonSpan
}

/** Cells stand in the list of the object that is the file. */
export const CELL_DEPTH = 2

export function openNotebook(text: string): OpenNotebook {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    throw new NotebookEditError('The file is no valid JSON, and so no notebook. Put it right with Edit first.', {
      cause,
    })
  }
  const cellsSpan = jsonSpans(text).members?.get('cells')?.value
  if (!isRecord(data) || !Array.isArray(data.cells) || cellsSpan === undefined)
    throw new NotebookEditError('The file has no list of cells, and so is no notebook of format 4. Use Edit for it.')
  return { text, style: jsonStyle(text), data, cells: data.cells, cellsSpan }
}
