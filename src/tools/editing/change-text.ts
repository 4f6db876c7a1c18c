import { parseHunks } from './edit-views.js'

/** A change to a file, as the result of a tool has it. */
interface ShownChange {
  /** What happened to which file, without a full stop. */
  readonly summary: string
  readonly patch: string
  readonly remarks?: readonly string[]
  /** Whether the model cannot know the new lines: they differ from what it sent, or it sent none. */
  readonly showsLines?: boolean
}

/**
 * Returns the text of a change for the model: which lines are new, how far later lines have moved, the remarks, and the new
 * lines if the model does not know them. It has just sent everything else.
 */
export function formatChange({ summary, patch, remarks = [], showsLines = false }: ShownChange): string {
  const places = findPlaces(patch)
  const lines = showsLines ? places.flatMap(({ start, lines }) => numberLines(start, lines)) : []
  return [`${summary}${describePlaces(places, patch)}.`, ...remarks, ...lines].join('\n')
}

/** Lines of the new text that replace a number of old ones. */
interface ChangedPlace {
  readonly start: number
  readonly lines: string[]
  removedCount: number
}

function findPlaces(patch: string): readonly ChangedPlace[] {
  return parseHunks(patch).flatMap(({ newStart = 1, lines }) => {
    const places: ChangedPlace[] = []
    let line = newStart
    let isInPlace = false
    for (const row of lines) {
      if (row.startsWith(' ')) {
        isInPlace = false
        line++
        continue
      }
      if (!isInPlace) places.push({ start: line, lines: [], removedCount: 0 })
      isInPlace = true
      const place = places.at(-1) as ChangedPlace
      if (row.startsWith('-')) place.removedCount++
      else {
        place.lines.push(row.slice(1))
        line++
      }
    }
    return places
  })
}

const MAX_LISTED_PLACES = 20
/** The last line of a patch that was cut. */
const CUT_PATCH = /\n\[\d+ more patch lines not shown\]$/

function describePlaces(places: readonly ChangedPlace[], patch: string): string {
  if (places.length === 0) return ''
  const ranges = places.slice(0, MAX_LISTED_PLACES).map(({ start, lines: { length } }) => {
    return length < 2 ? String(start) : `${start}-${start + length - 1}`
  })
  if (CUT_PATCH.test(patch)) return `, from line ${places[0]?.start}`
  const noun = ranges.length === 1 && !ranges[0]?.includes('-') ? 'line' : 'lines'
  const further = places.length > MAX_LISTED_PLACES ? ` and ${places.length - MAX_LISTED_PLACES} more places` : ''
  return `, ${noun} ${ranges.join(', ')}${further}${describeGrowth(places)}`
}

function describeGrowth(places: readonly ChangedPlace[]): string {
  const growth = places.reduce((sum, { lines, removedCount }) => sum + lines.length - removedCount, 0)
  if (growth === 0) return ''
  const count = Math.abs(growth)
  return `; ${count} ${count === 1 ? 'line' : 'lines'} ${growth > 0 ? 'more' : 'fewer'}`
}

function numberLines(start: number, lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => `${start + at}\t${line}`)
}
