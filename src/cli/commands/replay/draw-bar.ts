import type { TimelineCall } from './timeline.js'

interface Scale {
  readonly start: number
  readonly end: number
  readonly width: number
}

/** The life of a call on the clock of its message: `.` waiting, `?` asking, `=` running, `x` or `>` where it failed or has no end. */
export function drawBar(call: TimelineCall, scale: Scale): string {
  const { queuedAt, startedAt, askedAt, answeredAt, endedAt, errorCode } = call
  const cells = Array<string>(scale.width).fill(' ')
  const end = endedAt ?? scale.end
  fill(cells, '.', queuedAt, startedAt ?? end, scale)
  if (startedAt !== undefined) fill(cells, '=', startedAt, end, scale)
  if (askedAt !== undefined) fill(cells, '?', askedAt, answeredAt ?? end, scale)
  if (endedAt === undefined) cells[cellOf(end, scale)] = '>'
  else if (errorCode !== undefined) cells[cellOf(end, scale)] = 'x'
  return cells.join('')
}

/** Even what took no time at all has its cell. */
function fill(cells: string[], mark: string, from: number, to: number, scale: Scale): void {
  cells.fill(mark, cellOf(from, scale), cellOf(to, scale) + 1)
}

function cellOf(at: number, { start, end, width }: Scale): number {
  const share = end <= start ? 0 : (at - start) / (end - start)
  return Math.max(0, Math.min(width - 1, Math.round(share * (width - 1))))
}
