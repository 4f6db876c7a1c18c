import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SessionRows } from '../src/inspector/data/rows.js'
import { formatDuration } from './format.js'
import {
  AXIS_HEIGHT,
  drawTimeline,
  GUTTER,
  LANE_HEIGHT,
  type Palette,
  type TimeWindow,
  toTime,
} from './timeline-draw.js'
import { endOf, layOut, type TimelineLayout } from './timeline-layout.js'

export interface TimelineProps {
  readonly rows: SessionRows
  readonly version: number
  readonly selected: number | undefined
  readonly onSelect: (position: number) => void
  readonly filter: string
  readonly theme: string
}

const MIN_WINDOW_MS = 2
const ZOOM_STEP = 1.5

const KEYS_HELP =
  'Timeline of calls. Left and right move, plus and minus zoom, 0 shows everything, down and up select the next and previous call, Enter opens it.'

/** Draws the calls of a session on lanes. The window follows a live session until it is moved. */
export function Timeline({ rows, version, selected, onSelect, filter, theme }: TimelineProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [window, setWindow] = useState<TimeWindow | undefined>(undefined)
  const [size, setSize] = useState({ width: 800, height: 240 })
  const [scrollTop, setScrollTop] = useState(0)
  const layout = useMemo(() => layOut(rows), [rows, version])
  const shownWindow = window ?? withMargin(layout)
  const palette = useMemo(readPalette, [theme])
  const isShown = useMemo(() => createFilter(rows, filter), [rows, version, filter])
  useSize(canvas, layout, setSize)

  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const context = prepareCanvas(canvas.current, size)
      if (context === undefined) return
      const start = performance.now()
      drawTimeline(context, { rows, layout, window: shownWindow, ...size, scrollTop, palette, selected, isShown })
      performance.measure('haft-draw', { start, end: performance.now() })
    })
    return () => cancelAnimationFrame(frame)
  })

  const zoom = (factor: number, x = GUTTER + (size.width - GUTTER) / 2) =>
    setWindow(zoomWindow(shownWindow, factor, toTime(x, shownWindow, size.width)))
  const pan = (share: number) => setWindow(moveWindow(shownWindow, share * (shownWindow.to - shownWindow.from)))
  const scroll = (top: number) => setScrollTop(Math.max(0, Math.min(top, contentHeight(layout) - size.height)))
  const selectCall = (position: number) => {
    const call = rows.calls[position]
    if (call === undefined) return
    onSelect(position)
    if (call.queuedAt < shownWindow.from || call.queuedAt > shownWindow.to)
      setWindow(centreWindow(shownWindow, call.queuedAt))
    const top = (layout.laneOfCall[position] ?? 0) * LANE_HEIGHT
    if (top < scrollTop || top > scrollTop + size.height - 3 * LANE_HEIGHT) scroll(top - size.height / 2)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => pan(-0.15),
      ArrowRight: () => pan(0.15),
      ArrowDown: () => selectCall(Math.min(rows.calls.length - 1, (selected ?? -1) + 1)),
      ArrowUp: () => selectCall(Math.max(0, (selected ?? rows.calls.length) - 1)),
      '+': () => zoom(1 / ZOOM_STEP),
      '=': () => zoom(1 / ZOOM_STEP),
      '-': () => zoom(ZOOM_STEP),
      '0': () => setWindow(undefined),
      PageDown: () => scroll(scrollTop + size.height),
      PageUp: () => scroll(scrollTop - size.height),
    }
    const action = actions[event.key]
    if (action === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    action()
  }

  const drag = useDrag({
    onMove: (dx, dy) => {
      setWindow((current) => {
        const base = current ?? shownWindow
        return moveWindow(base, (-dx * (base.to - base.from)) / Math.max(1, size.width - GUTTER))
      })
      if (dy !== 0) setScrollTop((top) => Math.max(0, Math.min(top - dy, contentHeight(layout) - size.height)))
    },
    onClick: (x, y) => {
      const position = findCallAt(
        rows,
        layout,
        toTime(x, shownWindow, size.width),
        y + scrollTop,
        shownWindow,
        size.width,
      )
      if (position !== undefined) onSelect(position)
    },
  })

  useWheel(canvas, (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !event.shiftKey)
      zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, event.offsetX)
    else pan(Math.sign(event.deltaY || event.deltaX) * 0.1)
  })

  return (
    <section class="timeline" aria-label="Timeline">
      <div class="toolbar">
        <button type="button" onClick={() => zoom(1 / ZOOM_STEP)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(ZOOM_STEP)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setWindow(undefined)}>
          All
        </button>
        <span class="muted" id="window-length">
          {formatDuration(shownWindow.to - shownWindow.from)}
        </span>
        <Legend />
      </div>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label={KEYS_HELP}
        style={{ height: `${size.height}px` }}
        onKeyDown={onKeyDown}
        {...drag}
      />
    </section>
  )
}

const LEGEND = [
  ['resources', 'waits for resources'],
  ['permission', 'waits for permission'],
  ['hooks', 'hooks'],
  ['call', 'call'],
  ['failed', 'failed'],
  ['request', 'model'],
] as const

function Legend() {
  return (
    <ul class="legend">
      {LEGEND.map(([name, label]) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  )
}

function withMargin({ start, end }: TimelineLayout): TimeWindow {
  const margin = Math.max(1, (end - start) * 0.02)
  return { from: start - margin, to: end + margin }
}

function zoomWindow({ from, to }: TimeWindow, factor: number, at: number): TimeWindow {
  const length = Math.max(MIN_WINDOW_MS, (to - from) * factor)
  const share = (at - from) / (to - from)
  return { from: at - share * length, to: at + (1 - share) * length }
}

function moveWindow({ from, to }: TimeWindow, ms: number): TimeWindow {
  return { from: from + ms, to: to + ms }
}

function centreWindow({ from, to }: TimeWindow, at: number): TimeWindow {
  return { from: at - (to - from) / 2, to: at + (to - from) / 2 }
}

function contentHeight({ lanes }: TimelineLayout): number {
  return AXIS_HEIGHT + lanes.length * LANE_HEIGHT
}

function createFilter(rows: SessionRows, filter: string): ((position: number) => boolean) | undefined {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return undefined
  const isShown = rows.calls.map(({ tool, summary = '', errorCode = '', behavior = '', reason = '' }) => {
    const text = `${tool} ${summary} ${errorCode} ${behavior} ${reason}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (position) => isShown[position] === true
}

/** Finds the call at a place, with a few pixels of tolerance. */
function findCallAt(
  rows: SessionRows,
  layout: TimelineLayout,
  at: number,
  y: number,
  { from, to }: TimeWindow,
  width: number,
): number | undefined {
  const lane = layout.lanes[Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT)]
  if (lane?.kind !== 'calls') return undefined
  const tolerance = ((to - from) / width) * 4
  return lane.items.find((position) => {
    const call = rows.calls[position]
    return call !== undefined && call.queuedAt - tolerance <= at && at <= endOf(call, layout.end) + tolerance
  })
}

function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    resources: read('phase-resources'),
    permission: read('phase-permission'),
    hooks: read('phase-hooks'),
    call: read('phase-call'),
    failed: read('phase-failed'),
    other: read('phase-other'),
    request: read('phase-request'),
    text: read('text'),
    muted: read('muted'),
    line: read('line'),
    selected: read('accent'),
    background: read('surface'),
  }
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Sets the resolution of the canvas to that of the screen. */
function prepareCanvas(
  canvas: HTMLCanvasElement | null,
  { width, height }: Size,
): CanvasRenderingContext2D | undefined {
  const context = canvas?.getContext('2d', { alpha: false })
  if (!canvas || !context) return undefined
  const scale = devicePixelRatio
  const [pixelWidth, pixelHeight] = [Math.round(width * scale), Math.round(height * scale)]
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth
    canvas.height = pixelHeight
  }
  context.setTransform(scale, 0, 0, scale, 0, 0)
  return context
}

const MAX_CANVAS_SHARE = 0.55

/** Follows the width of the page; the height depends on the lanes. */
function useSize(
  canvas: { readonly current: HTMLCanvasElement | null },
  layout: TimelineLayout,
  setSize: (size: Size) => void,
): void {
  const wanted = contentHeight(layout) + 8
  useEffect(() => {
    const element = canvas.current
    if (element === null) return undefined
    const update = () => {
      const height = Math.round(Math.max(120, Math.min(wanted, innerHeight * MAX_CANVAS_SHARE)))
      setSize({ width: element.clientWidth, height })
    }
    const observer = new ResizeObserver(update)
    observer.observe(element)
    update()
    return () => observer.disconnect()
  }, [wanted])
}

/** Listens to the wheel. The listener must not be passive, because the page must not scroll. */
function useWheel(canvas: { readonly current: HTMLCanvasElement | null }, onWheel: (event: WheelEvent) => void): void {
  const latest = useRef(onWheel)
  latest.current = onWheel
  useEffect(() => {
    const element = canvas.current
    const listener = (event: WheelEvent) => {
      event.preventDefault()
      latest.current(event)
    }
    element?.addEventListener('wheel', listener, { passive: false })
    return () => element?.removeEventListener('wheel', listener)
  }, [])
}

interface DragHandlers {
  readonly onMove: (dx: number, dy: number) => void
  readonly onClick: (x: number, y: number) => void
}

/** A press that moves less than this is a click. */
const CLICK_PIXELS = 4

function useDrag({ onMove, onClick }: DragHandlers) {
  const state = useRef({ isDown: false, x: 0, y: 0, moved: 0 })
  return {
    onPointerDown(event: PointerEvent) {
      state.current = { isDown: true, x: event.clientX, y: event.clientY, moved: 0 }
      ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    },
    onPointerMove(event: PointerEvent) {
      const { isDown, x, y } = state.current
      if (!isDown) return
      const [dx, dy] = [event.clientX - x, event.clientY - y]
      state.current = {
        ...state.current,
        x: event.clientX,
        y: event.clientY,
        moved: state.current.moved + Math.abs(dx) + Math.abs(dy),
      }
      onMove(dx, dy)
    },
    onPointerUp(event: PointerEvent) {
      if (state.current.isDown && state.current.moved < CLICK_PIXELS) onClick(event.offsetX, event.offsetY)
      state.current.isDown = false
    },
  }
}
