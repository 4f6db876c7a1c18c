import type { CallRow } from '../../../inspector/data/rows.js'
import { toPrintable } from '../../../shared/printable.js'
import { padText, truncateText, wrapParts } from '../../io/terminal-text.js'

const MIN_COLUMNS = 20
const MAX_TITLE_COLUMNS = 48
const INDENT = 4

/** Draws a bar for each call on the time scale of its message, with its figures below. No line exceeds `columns`. */
export function drawTimeline(calls: readonly CallRow[], columns: number): string {
  const width = Math.max(MIN_COLUMNS, columns)
  if (calls.length === 0) return 'The log contains no calls.\n'
  const legend = wrapParts(['. waiting', '? asking', '= running', 'x failed', '> not ended'], width, '   ')
  const sections = [...groupByMessage(calls)].map(([message, messageCalls]) =>
    drawMessage(message, messageCalls, width),
  )
  return `${[legend.join('\n'), ...sections].join('\n\n')}\n`
}

function groupByMessage(calls: readonly CallRow[]): ReadonlyMap<number, readonly CallRow[]> {
  const callsByMessage = new Map<number, CallRow[]>()
  for (const call of calls) {
    const messageCalls = callsByMessage.get(call.message ?? 1)
    if (messageCalls === undefined) callsByMessage.set(call.message ?? 1, [call])
    else messageCalls.push(call)
  }
  return callsByMessage
}

function drawMessage(message: number, calls: readonly CallRow[], width: number): string {
  const start = calls.reduce((earliestAt, { queuedAt }) => Math.min(earliestAt, queuedAt), Number.POSITIVE_INFINITY)
  const end = calls.reduce((lastTime, call) => Math.max(lastTime, lastTimeOf(call)), start)
  const count = calls.length === 1 ? '1 call' : `${calls.length} calls`
  const heading = wrapParts([`Message ${message}`, count, formatDuration(end - start)], width, ' · ')
  const titleWidth = Math.min(MAX_TITLE_COLUMNS, Math.floor(width * 0.4))
  const barWidth = width - titleWidth - 3
  const rows = calls.flatMap((call) => {
    const title = padText(truncateText(toPrintable(titleOf(call)), titleWidth), titleWidth)
    const bar = drawBar(call, { start, end, width: barWidth })
    const figures = wrapParts(formatFigures(call), width - INDENT, ' · ')
    return [`${title} |${bar}|`, ...figures.map((line) => ' '.repeat(INDENT) + line)]
  })
  return [...heading, ...rows].join('\n')
}

function formatFigures(call: CallRow): readonly string[] {
  const { queuedAt, startedAt, askedAt, answeredAt, endedAt, resultBytes, errorCode, hookCount: hooks = 0 } = call
  const askedMs = askedAt === undefined || answeredAt === undefined ? undefined : answeredAt - askedAt
  return [
    `waited ${formatDuration((startedAt ?? endedAt ?? queuedAt) - queuedAt)}`,
    ...(startedAt === undefined || endedAt === undefined
      ? []
      : [`ran ${formatDuration(endedAt - startedAt - (askedMs ?? 0))}`]),
    ...(askedMs === undefined ? [] : [`asked ${formatDuration(askedMs)}`]),
    ...(hooks === 0 ? [] : [hooks === 1 ? '1 hook' : `${hooks} hooks`]),
    ...(resultBytes === undefined ? [] : [`${formatCount(resultBytes)} chars`]),
    ...(endedAt === undefined ? ['not ended'] : []),
    ...(errorCode === undefined ? [] : [toPrintable(errorCode)]),
  ]
}

function titleOf({ tool, summary }: CallRow): string {
  return summary === undefined ? tool : `${tool} ${summary}`
}

function lastTimeOf({ queuedAt, startedAt, askedAt, answeredAt, endedAt }: CallRow): number {
  return endedAt ?? answeredAt ?? askedAt ?? startedAt ?? queuedAt
}

function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds)
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}

interface Scale {
  readonly start: number
  readonly end: number
  readonly width: number
}

/** Draws the phases of a call: `.` waiting, `?` asking, `=` running, `x` failed, `>` not ended. */
function drawBar(call: CallRow, scale: Scale): string {
  const { queuedAt, startedAt, askedAt, answeredAt, endedAt, errorCode } = call
  const cells = Array<string>(scale.width).fill(' ')
  const end = endedAt ?? scale.end
  fillCells(cells, '.', queuedAt, startedAt ?? end, scale)
  if (startedAt !== undefined) fillCells(cells, '=', startedAt, end, scale)
  if (askedAt !== undefined) fillCells(cells, '?', askedAt, answeredAt ?? end, scale)
  if (endedAt === undefined) cells[cellOf(end, scale)] = '>'
  else if (errorCode !== undefined) cells[cellOf(end, scale)] = 'x'
  return cells.join('')
}

/** Marks the cells of a time span; at least one, so that short phases are visible. */
function fillCells(cells: string[], mark: string, from: number, to: number, scale: Scale): void {
  cells.fill(mark, cellOf(from, scale), cellOf(to, scale) + 1)
}

function cellOf(at: number, { start, end, width }: Scale): number {
  const share = end <= start ? 0 : (at - start) / (end - start)
  return Math.max(0, Math.min(width - 1, Math.round(share * (width - 1))))
}
