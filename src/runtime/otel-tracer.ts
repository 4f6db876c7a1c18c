import type { StepTimer } from '../calls/call-environment.js'
import type { CallEnded, CallQueued, PermissionDecided, ToolEvent } from '../contract/events.js'

/** The part of an OpenTelemetry tracer that Haft uses. Pass `trace.getTracer('haft')` of `@opentelemetry/api`. */
export interface OtelTracer {
  startSpan(name: string, options?: OtelSpanOptions, context?: OtelContext): OtelSpan
}

/** How a span is started: kind, attributes and start time, as in OpenTelemetry. */
export interface OtelSpanOptions {
  readonly kind?: number
  readonly attributes?: Record<string, string | number | boolean>
  readonly startTime?: number
}

/** The part of an OpenTelemetry span that Haft uses. */
export interface OtelSpan {
  setAttribute(name: string, value: string | number | boolean): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(endTime?: number): void
}

/** An OpenTelemetry context, which holds the parent of a span. */
export interface OtelContext {
  getValue(key: symbol): unknown
  setValue(key: symbol, value: unknown): OtelContext
  deleteValue(key: symbol): OtelContext
}

/** Receives the events and step durations of calls. */
export interface CallTrace extends StepTimer {
  onEvent(event: ToolEvent): void
}

const INTERNAL_KIND = 0
const ERROR_STATUS = 2
/** Registered under this name by every copy of the OpenTelemetry API. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')

interface TracedCall {
  readonly span: OtelSpan
  readonly context: OtelContext
  readonly queuedAt: number
}

/**
 * Traces the calls of one agent by the OpenTelemetry conventions for generative AI: a span `execute_tool <name>` per call,
 * with a child span per step. Inputs and results are not recorded, because they may be secret. Errors of the tracer are ignored.
 */
export function createCallTrace(tracer: OtelTracer, isMcpTool: (toolName: string) => boolean): CallTrace {
  const openCalls = new Map<string, TracedCall>()
  const addChildSpan = (
    { context }: TracedCall,
    name: string,
    startTime: number,
    endTime: number,
    waitedMs?: number,
  ) => {
    const attributes = waitedMs === undefined ? {} : { attributes: { 'haft.waited_ms': waitedMs } }
    tracer.startSpan(name, { kind: INTERNAL_KIND, startTime, ...attributes }, context).end(endTime)
  }

  const begin = (event: CallQueued) => {
    if (openCalls.has(event.toolUseId)) return
    const queuedAt = readTimeMs()
    const attributes = createAttributes(event, isMcpTool(event.toolName))
    const { parentToolUseId } = event
    const parent = parentToolUseId === undefined ? undefined : openCalls.get(parentToolUseId)
    const options = { kind: INTERNAL_KIND, startTime: queuedAt, attributes }
    const span = tracer.startSpan(createSpanName(event), options, ...(parent === undefined ? [] : [parent.context]))
    openCalls.set(event.toolUseId, { span, queuedAt, context: createContext(new Map([[SPAN_KEY, span]])) })
  }
  const end = ({ toolUseId, result, errorCode, toolErrorCode }: CallEnded) => {
    const call = openCalls.get(toolUseId)
    openCalls.delete(toolUseId)
    if (errorCode !== undefined || result.is_error === true) {
      call?.span.setAttribute('error.type', errorCode ?? 'tool_failed')
      if (toolErrorCode !== undefined) call?.span.setAttribute('haft.tool.error_code', toolErrorCode)
      call?.span.setStatus({ code: ERROR_STATUS })
    }
    call?.span.end(readTimeMs())
  }
  return {
    onEvent: ignoreErrors((event: ToolEvent) => {
      if (event.type === 'call-queued') return begin(event)
      const call = 'toolUseId' in event ? openCalls.get(event.toolUseId) : undefined
      if (call === undefined) return
      if (event.type === 'call-started') addChildSpan(call, 'queue', call.queuedAt, readTimeMs())
      else if (event.type === 'permission-decided') recordDecision(call.span, event)
      else if (event.type === 'call-ended') end(event)
    }),
    step: ignoreErrors((toolUseId: string, step: string, startMs: number, endMs: number, waitedMs?: number) => {
      const call = openCalls.get(toolUseId)
      const { timeOrigin } = performance
      if (call !== undefined) addChildSpan(call, step, timeOrigin + startMs, timeOrigin + endMs, waitedMs)
    }),
  }
}

function ignoreErrors<A extends readonly unknown[]>(trace: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      trace(...args)
    } catch {
      // A failing tracer must not affect calls.
    }
  }
}

/** Returns the name of a span. It is shortened, because the model can make up a tool name of any length. */
function createSpanName({ toolName }: CallQueued): string {
  return `execute_tool ${String(toolName).slice(0, 64)}`
}

function createAttributes({ toolName, toolUseId }: CallQueued, isExtension: boolean): Record<string, string> {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': String(toolName).slice(0, 64),
    'gen_ai.tool.call.id': String(toolUseId),
    'gen_ai.tool.type': isExtension ? 'extension' : 'function',
  }
}

/** Records a decision. The time that the user took to answer is a separate attribute. */
function recordDecision(span: OtelSpan, { behavior, reason, waitedMs }: PermissionDecided): void {
  span.setAttribute('haft.permission.behavior', behavior)
  span.setAttribute('haft.permission.reason', reason.type)
  if (waitedMs !== undefined) span.setAttribute('haft.permission.waited_ms', waitedMs)
}

function createContext(values: ReadonlyMap<symbol, unknown>): OtelContext {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => createContext(new Map([...values, [key, value]])),
    deleteValue: (key) => createContext(new Map([...values].filter(([other]) => other !== key))),
  }
}

/** Returns the milliseconds since the epoch by the clock that steps are measured with, so that child spans lie within their parent. */
function readTimeMs(): number {
  return performance.timeOrigin + performance.now()
}
