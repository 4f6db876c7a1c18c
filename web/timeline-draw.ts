import type { CallRow, SessionRows } from '../src/inspector/data/rows.js'
import { endOf, type Lane, listSegments, type Phase, type TimelineLayout } from './timeline-layout.js'

export const LANE_HEIGHT = 20
export const AXIS_HEIGHT = 24
/** Space for the names of agents. */
export const GUTTER = 84

/** The visible part of the time, in milliseconds since the epoch. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** The colours of the current theme. */
export type Palette = Readonly<
  Record<Phase | 'text' | 'muted' | 'line' | 'request' | 'selected' | 'background', string>
>

export interface DrawOptions {
  readonly rows: SessionRows
  readonly layout: TimelineLayout
  readonly window: TimeWindow
  readonly width: number
  readonly height: number
  readonly scrollTop: number
  readonly palette: Palette
  readonly selected: number | undefined
  /** Calls that the filter hides are drawn faintly. */
  readonly isShown: ((position: number) => boolean) | undefined
}

/** Draws the visible lanes. Bars that would cover the same pixels are drawn once, so the cost depends on the width. */
export function drawTimeline(context: CanvasRenderingContext2D, options: DrawOptions): void {
  const { layout, width, height, scrollTop, palette } = options
  context.fillStyle = palette.background
  context.fillRect(0, 0, width, height)
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  const firstLane = Math.max(0, Math.floor((scrollTop - AXIS_HEIGHT) / LANE_HEIGHT))
  const lastLane = Math.min(layout.lanes.length, Math.ceil((scrollTop + height) / LANE_HEIGHT) + 1)
  drawAxis(context, options)
  for (let index = firstLane; index < lastLane; index++) {
    const lane = layout.lanes[index] as Lane
    const top = AXIS_HEIGHT + index * LANE_HEIGHT - scrollTop
    if (lane.kind === 'requests') drawRequests(context, lane, top, options)
    else drawCalls(context, lane, top, options)
    const isFirst = layout.lanes[index - 1]?.agent !== lane.agent
    drawLaneName(context, isFirst ? (options.rows.agents[lane.agent]?.id ?? '') : '', top, options)
  }
  drawAxisLabels(context, options)
}

function drawLaneName(context: CanvasRenderingContext2D, name: string, top: number, { palette }: DrawOptions): void {
  context.fillStyle = palette.background
  context.fillRect(0, top, GUTTER, LANE_HEIGHT)
  if (name === '') return
  context.fillStyle = palette.text
  context.fillText(name.length > 12 ? `${name.slice(0, 11)}…` : name, 6, top + LANE_HEIGHT / 2)
}

/** Converts a time to pixels. */
function toX(at: number, { from, to }: TimeWindow, width: number): number {
  return GUTTER + ((at - from) / (to - from)) * (width - GUTTER)
}

/** Converts pixels to a time. */
export function toTime(x: number, { from, to }: TimeWindow, width: number): number {
  return from + ((x - GUTTER) / Math.max(1, width - GUTTER)) * (to - from)
}

function drawCalls(context: CanvasRenderingContext2D, lane: Lane, top: number, options: DrawOptions): void {
  const { rows, layout, window, width, palette, selected, isShown } = options
  const bars = new LaneBars(context, top, palette)
  /** Labels and the frame of the selected call are drawn over the bars. */
  const drawOver: (() => void)[] = []
  for (let index = findFirst(lane, rows, window.from, layout.end); index < lane.items.length; index++) {
    const position = lane.items[index] as number
    const call = rows.calls[position] as CallRow
    if (call.queuedAt > window.to) break
    const isFaint = isShown !== undefined && !isShown(position)
    for (const { phase, from, to } of listSegments(call, layout.end))
      bars.add(phase, isFaint, toX(from, window, width), Math.min(width, toX(to, window, width)))
    const left = toX(call.queuedAt, window, width)
    const right = toX(endOf(call, layout.end), window, width)
    if (right - left > MIN_LABEL_WIDTH)
      drawOver.push(() => drawLabel(context, call.summary ?? call.tool, left, right, top, palette))
    if (position === selected) drawOver.push(() => drawFrame(context, left, right, top, palette))
  }
  bars.flush()
  for (const draw of drawOver) draw()
}

/** Shorter bars have no label. */
const MIN_LABEL_WIDTH = 40
/** Later phases are drawn over earlier ones. */
const DRAW_ORDER: readonly Phase[] = ['resources', 'other', 'call', 'failed', 'hooks', 'permission']
const FAINT_ALPHA = 0.15

/** The bars of one lane by phase. Bars that touch become one, so that the cost depends on the width of the screen. */
class LaneBars {
  readonly #context: CanvasRenderingContext2D
  readonly #top: number
  readonly #palette: Palette
  /** Left and right of each bar, in turn. */
  readonly #bars: Record<string, number[]> = {}

  constructor(context: CanvasRenderingContext2D, top: number, palette: Palette) {
    this.#context = context
    this.#top = top
    this.#palette = palette
  }

  add(phase: Phase, isFaint: boolean, from: number, to: number): void {
    const left = Math.max(GUTTER, from)
    const right = Math.max(left + 1, to)
    if (to < GUTTER) return
    const key = isFaint ? `${phase} faint` : phase
    this.#bars[key] ??= []
    const bars = this.#bars[key]
    const lastRight = bars.at(-1)
    if (lastRight === undefined || left > lastRight + 0.5) bars.push(left, right)
    else if (right > lastRight) bars[bars.length - 1] = right
  }

  flush(): void {
    for (const phase of DRAW_ORDER) {
      this.#fill(phase, this.#bars[`${phase} faint`], FAINT_ALPHA)
      this.#fill(phase, this.#bars[phase], 1)
    }
  }

  #fill(phase: Phase, bars: readonly number[] = [], alpha: number): void {
    if (bars.length === 0) return
    const isThin = phase === 'other' || phase === 'resources'
    this.#context.globalAlpha = alpha
    this.#context.fillStyle = this.#palette[phase]
    for (let index = 0; index < bars.length; index += 2) {
      const left = bars[index] ?? 0
      const right = bars[index + 1] ?? 0
      this.#context.fillRect(left, this.#top + (isThin ? 7 : 3), right - left, isThin ? 6 : LANE_HEIGHT - 6)
    }
    this.#context.globalAlpha = 1
  }
}

function drawLabel(
  context: CanvasRenderingContext2D,
  text: string,
  left: number,
  right: number,
  top: number,
  palette: Palette,
): void {
  const start = Math.max(left, GUTTER) + 4
  const length = Math.floor((right - start - 4) / 6.2)
  if (length < 3) return
  context.fillStyle = palette.text
  context.fillText(text.length > length ? `${text.slice(0, length - 1)}…` : text, start, top + LANE_HEIGHT / 2)
}

function drawFrame(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  top: number,
  palette: Palette,
): void {
  context.strokeStyle = palette.selected
  context.lineWidth = 2
  context.strokeRect(Math.max(GUTTER, left - 1), top + 1, Math.max(4, right - left + 2), LANE_HEIGHT - 2)
}

function drawRequests(context: CanvasRenderingContext2D, lane: Lane, top: number, options: DrawOptions): void {
  const { rows, window, width, palette, layout } = options
  let lastRight = Number.NEGATIVE_INFINITY
  context.fillStyle = palette.request
  for (const position of lane.items) {
    const request = rows.requests[position]
    if (request === undefined || request.at > window.to) continue
    const left = Math.max(GUTTER, toX(request.at, window, width))
    const right = Math.min(width, Math.max(left + 1, toX(request.answeredAt ?? layout.end, window, width)))
    if (right <= lastRight || right <= GUTTER) continue
    lastRight = right
    context.fillRect(left, top + 8, right - left, 4)
  }
}

/** Finds the first call of a lane that may be visible. Calls of a lane do not overlap. */
function findFirst(lane: Lane, rows: SessionRows, from: number, now: number): number {
  let low = 0
  let high = lane.items.length
  while (low < high) {
    const middle = (low + high) >> 1
    const call = rows.calls[lane.items[middle] ?? -1]
    if (call !== undefined && endOf(call, now) < from) low = middle + 1
    else high = middle
  }
  return low
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 3e5, 6e5, 18e5, 36e5, 144e5, 864e5]

function chooseStep({ from, to }: TimeWindow, width: number): number {
  const minStep = ((to - from) * 90) / Math.max(1, width - GUTTER)
  return STEPS.find((step) => step >= minStep) ?? 864e5
}

function listTicks({ layout, window, width }: DrawOptions): { x: number; label: string }[] {
  const step = chooseStep(window, width)
  const first = layout.start + Math.ceil((window.from - layout.start) / step) * step
  const ticks: { x: number; label: string }[] = []
  for (let at = first; at <= window.to && ticks.length < 200; at += step)
    ticks.push({ x: toX(at, window, width), label: formatOffset(at - layout.start, step) })
  return ticks
}

function formatOffset(ms: number, step: number): string {
  if (step < 1_000) return `${(ms / 1_000).toFixed(3)} s`
  const seconds = Math.round(ms / 1_000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function drawAxis(context: CanvasRenderingContext2D, options: DrawOptions): void {
  context.fillStyle = options.palette.line
  for (const { x } of listTicks(options)) context.fillRect(Math.round(x), 0, 1, options.height)
}

function drawAxisLabels(context: CanvasRenderingContext2D, options: DrawOptions): void {
  const { palette, width } = options
  context.fillStyle = palette.background
  context.fillRect(0, 0, width, AXIS_HEIGHT)
  context.fillStyle = palette.muted
  for (const { x, label } of listTicks(options)) if (x >= GUTTER) context.fillText(label, x + 3, AXIS_HEIGHT / 2)
}
