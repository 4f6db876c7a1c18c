import type { Steps } from '../../shared/steps.js'
import { type ParsedJson, parseItemsAt, parseJsonAt, parseMembersAt, skipSpace } from './parse-json.js'

/** A notebook that was parsed cell by cell, because parsing a large one at once would block the event loop. */
export interface ScannedNotebook {
  /** The members of the notebook besides its cells. */
  readonly data: Readonly<Record<string, unknown>>
  readonly cells: readonly unknown[]
  readonly cellsSpan: CellsSpan
}

/** The offsets of the list of cells and of each cell in the text. */
export interface CellsSpan {
  readonly start: number
  readonly end: number
  readonly items: readonly { readonly start: number; readonly end: number }[]
}

/** Longer text that cannot be a notebook is not parsed: that would block the event loop. */
const MAX_CHECKED_CHARS = 100_000

/** Parses a notebook; undefined if it is JSON without a list of cells. Throws a `SyntaxError` if it is not JSON. */
export function* scanNotebook(text: string): Steps<ScannedNotebook | undefined> {
  const start = skipSpace(text, 0)
  if (text[start] !== '{') return rejectInvalid(text)
  let items: readonly ParsedJson[] | undefined
  const { members, end } = yield* parseMembersAt(text, start, function* (valueStart, name) {
    if (name !== 'cells') return yield* parseJsonAt(text, valueStart)
    // Of several equal names the last one counts, as in JSON.parse.
    items = undefined
    if (text[valueStart] !== '[') return yield* parseJsonAt(text, valueStart)
    const list = yield* parseItemsAt(text, valueStart)
    items = list.items
    return { value: undefined, start: valueStart, end: list.end }
  })
  if (skipSpace(text, end) !== text.length) throw new SyntaxError('Unexpected text after the notebook')
  const cellList = members.findLast(({ name }) => name === 'cells')
  if (cellList === undefined || items === undefined) return undefined
  const data = Object.fromEntries(members.flatMap(({ name, value }) => (name === 'cells' ? [] : [[name, value]])))
  const cells = items.map(({ value }) => value)
  return { data, cells, cellsSpan: { start: cellList.start, end: cellList.end, items } }
}

/** Handles text that cannot be a notebook: throws a `SyntaxError` if the text is not JSON, unless it is too long to check. */
function rejectInvalid(text: string): undefined {
  if (text.length <= MAX_CHECKED_CHARS) JSON.parse(text)
}
