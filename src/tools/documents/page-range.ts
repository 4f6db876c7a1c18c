import { ToolCallError } from '../../contract/errors.js'

/** A range of pages. Both ends are included. */
export interface PageRange {
  readonly first: number
  readonly last: number
}

const MAX_PAGES = 20
/** Longer documents are refused unless the call selects pages. */
const MAX_UNSELECTED_PAGES = 10

/** Parses "3" or "1-5"; undefined for anything else. */
export function parsePages(pages: string): PageRange | undefined {
  const match = /^\s*(\d{1,6})\s*(?:[-–]\s*(\d{1,6})\s*)?$/.exec(pages)
  if (match === null) return undefined
  const firstPage = Number(match[1])
  const last = match[2] === undefined ? firstPage : Number(match[2])
  return firstPage >= 1 && last >= firstPage ? { first: firstPage, last } : undefined
}

/** Returns the range of pages to read. Throws with advice if the selection is invalid. */
export function choosePages(pages: string | undefined, pageCount: number, name: string): PageRange {
  const range = pages === undefined ? undefined : parsePages(pages)
  if (range === undefined) {
    if (pageCount <= MAX_UNSELECTED_PAGES) return { first: 1, last: pageCount }
    throw new ToolCallError(
      'tool_failed',
      `${name} has ${pageCount} pages. Choose the pages to read, at most ${MAX_PAGES} at a time, for example pages: "1-${MAX_PAGES}".`,
    )
  }
  if (range.first > pageCount)
    throw new ToolCallError(
      'tool_failed',
      `${name} has ${pageCount} pages; there is no page ${range.first}. Choose smaller page numbers.`,
    )
  const last = Math.min(range.last, pageCount)
  if (last - range.first >= MAX_PAGES)
    throw new ToolCallError(
      'tool_failed',
      `At most ${MAX_PAGES} pages can be read at a time. Start with pages: "${range.first}-${range.first + MAX_PAGES - 1}".`,
    )
  return { first: range.first, last }
}
