import type { CallRow, SessionRows } from '../src/inspector/data/rows.js'

/** A row of the timeline: requests of one agent, or calls of it that do not overlap. */
export interface Lane {
  readonly agent: number
  readonly kind: 'requests' | 'calls'
  /** Positions of requests or calls, in order of their start. */
  readonly items: readonly number[]
}

export interface TimelineLayout {
  readonly lanes: readonly Lane[]
  readonly start: number
  readonly end: number
  /** The lane of each call. */
  readonly laneOfCall: readonly number[]
}

/** Places every call in the first free lane of its agent, so that concurrent calls are below each other. */
export function layOut(rows: SessionRows): TimelineLayout {
  const lanes: { agent: number; kind: Lane['kind']; items: number[]; end: number }[] = []
  const laneOfCall: number[] = []
  const lanesByAgent = rows.agents.map((): number[] => [])
  const { start, end } = findBounds(rows)
  const requestsByAgent = groupByAgent(rows.requests, rows.agents.length)
  const callsByAgent = groupByAgent(rows.calls, rows.agents.length)
  for (const agent of rows.agents.keys()) {
    const requests = requestsByAgent[agent] ?? []
    if (requests.length > 0) lanes.push({ agent, kind: 'requests', items: requests, end: 0 })
    const calls = (callsByAgent[agent] ?? []).sort((a, b) => startOf(rows.calls[a]) - startOf(rows.calls[b]))
    for (const position of calls) {
      const call = rows.calls[position] as CallRow
      const free = lanesByAgent[agent]?.find((index) => (lanes[index]?.end ?? 0) <= call.queuedAt)
      const index = free ?? lanes.length
      if (free === undefined) {
        lanes.push({ agent, kind: 'calls', items: [], end: 0 })
        lanesByAgent[agent]?.push(index)
      }
      const lane = lanes[index]
      lane?.items.push(position)
      if (lane !== undefined) lane.end = endOf(call, end)
      laneOfCall[position] = index
    }
  }
  return { lanes, start, end, laneOfCall }
}

function groupByAgent(rows: readonly { readonly agent: number }[], count: number): number[][] {
  const groups = Array.from({ length: count }, (): number[] => [])
  for (const [position, { agent }] of rows.entries()) groups[agent]?.push(position)
  return groups
}

function startOf(call: CallRow | undefined): number {
  return call?.queuedAt ?? 0
}

/** A call that has not ended continues until now. */
export function endOf({ endedAt, startedAt, queuedAt }: CallRow, now: number): number {
  return endedAt ?? Math.max(now, startedAt ?? queuedAt)
}

function findBounds({ startedAt, endedAt, calls, requests }: SessionRows): { start: number; end: number } {
  let start = startedAt ?? Number.POSITIVE_INFINITY
  let end = endedAt ?? 0
  for (const call of calls) {
    start = Math.min(start, call.queuedAt)
    end = Math.max(end, call.endedAt ?? call.startedAt ?? call.queuedAt)
  }
  for (const request of requests) {
    start = Math.min(start, request.at)
    end = Math.max(end, request.answeredAt ?? request.at)
  }
  if (!Number.isFinite(start)) return { start: 0, end: 1_000 }
  return { start, end: Math.max(start + 1, end) }
}

/** A phase of a call, for its colour. */
export type Phase = 'resources' | 'permission' | 'hooks' | 'call' | 'failed' | 'other'

interface Segment {
  readonly phase: Phase
  readonly from: number
  readonly to: number
}

const segmentsOfEnded = new WeakMap<CallRow, readonly Segment[]>()

/** Returns the phases of a call in order, as far as they were recorded. Those of a call that has ended are kept. */
export function listSegments(call: CallRow, now: number): readonly Segment[] {
  const known = segmentsOfEnded.get(call)
  if (known !== undefined) return known
  const segments = findSegments(call, now)
  if (call.endedAt !== undefined) segmentsOfEnded.set(call, segments)
  return segments
}

function findSegments(call: CallRow, now: number): readonly Segment[] {
  const { queuedAt, startedAt, askedAt, answeredAt, runAt, ranAt, errorCode, preHooks, postHooks } = call
  const end = endOf(call, now)
  const segments: Segment[] = []
  const add = (phase: Phase, from: number, to: number) => {
    if (to > from) segments.push({ phase, from, to })
  }
  add('resources', queuedAt, startedAt ?? end)
  if (startedAt === undefined) return segments
  add('other', startedAt, end)
  if (runAt === undefined || ranAt === undefined) add(errorCode === undefined ? 'call' : 'failed', startedAt, end)
  else add(errorCode === undefined ? 'call' : 'failed', runAt, ranAt)
  if (preHooks !== undefined) add('hooks', preHooks[0], preHooks[0] + preHooks[1])
  if (askedAt !== undefined) add('permission', askedAt, answeredAt ?? end)
  if (postHooks !== undefined) add('hooks', postHooks[0], postHooks[0] + postHooks[1])
  return segments
}
