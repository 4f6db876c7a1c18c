import { ToolCallError } from '../../contract/errors.js'

/** A range of pages, both ends in it. */
export interface PageRange {
  readonly first: number
  readonly last: number
}

const MAX_PAGES = 20
/** A document of so few pages is read whole where no pages are named. */
const SHORT = 10

/** Reads "3" or "1-5"; undefined where it is neither. */
export function parsePages(pages: string): PageRange | undefined {
  const found = /^\s*(\d{1,6})\s*(?:[-–]\s*(\d{1,6})\s*)?$/.exec(pages)
  if (found === null) return undefined
  const first = Number(found[1])
  const last = found[2] === undefined ? first : Number(found[2])
  return first >= 1 && last >= first ? { first, last } : undefined
}

/** The pages to read of a document, or why none are. */
export function choosePages(pages: string | undefined, pageCount: number, name: string): PageRange {
  const wanted = pages === undefined ? undefined : parsePages(pages)
  if (wanted === undefined) {
    if (pageCount <= SHORT) return { first: 1, last: pageCount }
    throw new ToolCallError(
      'tool_failed',
      `${name} has ${pageCount} pages. Say which to read, at most ${MAX_PAGES} at once, for example pages: "1-${MAX_PAGES}".`,
    )
  }
  if (wanted.first > pageCount)
    throw new ToolCallError('tool_failed', `${name} has ${pageCount} pages; there is no page ${wanted.first}.`)
  const last = Math.min(wanted.last, pageCount)
  if (last - wanted.first >= MAX_PAGES)
    throw new ToolCallError(
      'tool_failed',
      `At most ${MAX_PAGES} pages are read at once. Begin with pages: "${wanted.first}-${wanted.first + MAX_PAGES - 1}".`,
    )
  return { first: wanted.first, last }
}
