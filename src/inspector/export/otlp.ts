import { createHash } from 'node:crypto'
import type { CallDetail } from '../data/call-details.js'
import type { CallRow, RequestRow, SessionRows } from '../data/rows.js'

type AttributeValue = string | number | boolean | undefined

const INTERNAL_KIND = 1
const CLIENT_KIND = 3
const OK_STATUS = 1
const ERROR_STATUS = 2

/**
 * Converts a session to OpenTelemetry traces (OTLP/JSON), by the conventions for generative AI: a span for the session,
 * one for each request and each call, and one for each step of a call. Inputs and results are not exported.
 */
export function toOtlp(rows: SessionRows, readTrace: (position: number) => CallDetail['trace']): object {
  const spans = new SpanList(rows.id)
  const lastAt = findEnd(rows)
  spans.add({
    key: 'session',
    name: 'invoke_agent haft',
    start: rows.startedAt ?? lastAt,
    end: lastAt,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.conversation.id': rows.id },
  })
  for (const [position, request] of rows.requests.entries()) addRequestSpan(spans, request, position, rows)
  for (const [position, call] of rows.calls.entries()) addCallSpans(spans, call, position, readTrace(position))
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ 'service.name': 'haft' }) },
        scopeSpans: [{ scope: { name: 'haft' }, spans: spans.list }],
      },
    ],
  }
}

function addRequestSpan(spans: SpanList, request: RequestRow, position: number, { agents }: SessionRows): void {
  const { model, at, answeredAt, usage, bytes, agent } = request
  spans.add({
    key: `request ${position}`,
    parent: 'session',
    name: `chat ${model.slice(0, 64)}`,
    kind: CLIENT_KIND,
    start: at,
    end: answeredAt ?? at,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': usage && usage.input + usage.cacheRead + usage.cacheWrite,
      'gen_ai.usage.output_tokens': usage?.output,
      'gen_ai.usage.cache_read.input_tokens': usage?.cacheRead,
      'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWrite,
      'gen_ai.agent.id': agents[agent]?.id,
      'haft.request.bytes': bytes,
    },
  })
}

function addCallSpans(spans: SpanList, call: CallRow, position: number, trace: CallDetail['trace']): void {
  const { tool, id, queuedAt, endedAt, parent, request, errorCode, behavior, reason } = call
  const key = `call ${position}`
  const requestKey = request === undefined ? 'session' : `request ${request}`
  spans.add({
    key,
    parent: parent === undefined ? requestKey : `call ${parent}`,
    name: `execute_tool ${tool.slice(0, 64)}`,
    start: queuedAt,
    end: endedAt ?? queuedAt,
    isFailed: errorCode !== undefined,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': id,
      'error.type': errorCode,
      'haft.permission.behavior': behavior,
      'haft.permission.reason': reason,
    },
  })
  for (const [index, [name, startMs, durationMs, waitedMs]] of (trace?.steps ?? []).entries())
    spans.add({
      key: `${key} step ${index}`,
      parent: key,
      name,
      start: queuedAt + startMs,
      end: queuedAt + startMs + durationMs,
      attributes: { 'haft.waited_ms': waitedMs },
    })
}

interface SpanFields {
  readonly key: string
  readonly parent?: string
  readonly name: string
  readonly kind?: number
  readonly start: number
  readonly end: number
  readonly isFailed?: boolean
  readonly attributes: Readonly<Record<string, AttributeValue>>
}

class SpanList {
  readonly list: object[] = []
  readonly #session: string

  constructor(session: string) {
    this.#session = session
  }

  add({ key, parent, name, kind = INTERNAL_KIND, start, end, isFailed = false, attributes }: SpanFields): void {
    this.list.push({
      traceId: this.#computeId('trace', 32),
      spanId: this.#computeId(key, 16),
      ...(parent !== undefined && { parentSpanId: this.#computeId(parent, 16) }),
      name,
      kind,
      startTimeUnixNano: toNanoseconds(start),
      endTimeUnixNano: toNanoseconds(Math.max(start, end)),
      attributes: toAttributes(attributes),
      status: { code: isFailed ? ERROR_STATUS : OK_STATUS },
    })
  }

  /** Returns the same id for the same key, so that a session can be exported again without duplicates. */
  #computeId(key: string, length: number): string {
    return createHash('sha256').update(`${this.#session}\n${key}`).digest('hex').slice(0, length)
  }
}

function toAttributes(values: Readonly<Record<string, AttributeValue>>): readonly object[] {
  return Object.entries(values).flatMap(([key, value]): readonly object[] => {
    if (value === undefined) return []
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }]
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }]
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }]
  })
}

/** Returns nanoseconds as OTLP/JSON writes them. A number would lose digits. */
function toNanoseconds(ms: number): string {
  return (BigInt(Math.round(ms * 1000)) * 1000n).toString()
}

function findEnd({ endedAt, startedAt = 0, calls, requests, messages }: SessionRows): number {
  return [...calls, ...requests, ...messages].reduce((end, row) => {
    const at = ('endedAt' in row ? row.endedAt : undefined) ?? ('at' in row ? row.at : 0) ?? 0
    return Math.max(end, at)
  }, endedAt ?? startedAt)
}
