import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolUseBlock } from '../contract/messages.js'
import { buildTool } from '../contract/tool/build-tool.js'
import { createFixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { createToolRuntime } from './create-tool-runtime.js'
import type { OtelContext, OtelSpan, OtelTracer } from './otel-tracer.js'

interface FakeSpan extends OtelSpan {
  readonly name: string
  readonly parent: unknown
  readonly attributes: Record<string, unknown>
  readonly startTime: number
  status?: { code: number }
  endTime?: number
}

const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN')

/** Records spans in the order in which they start. */
function createFakeTracer(): OtelTracer & { readonly spans: FakeSpan[] } {
  const spans: FakeSpan[] = []
  return {
    spans,
    startSpan(name, { attributes = {}, startTime = 0 } = {}, context?: OtelContext) {
      const span: FakeSpan = {
        name,
        parent: context?.getValue(SPAN_KEY),
        attributes: { ...attributes },
        startTime,
        setAttribute(key, value) {
          this.attributes[key] = value
        },
        setStatus(status) {
          this.status = status
        },
        end(endTime = 0) {
          this.endTime = endTime
        },
      }
      spans.push(span)
      return span
    },
  }
}

const Echo = buildTool({
  name: 'Echo',
  description: 'Returns a text',
  inputSchema: z.object({ text: z.string() }),
  call: async ({ text }) => ({ data: text }),
})

function createToolUse(name: string, input: unknown = {}, id = 'toolu_1'): ToolUseBlock {
  return { type: 'tool_use', id, name, input }
}

describe('a tracer', () => {
  test('receives a span per call, with a child span per step', async () => {
    const tracer = createFakeTracer()
    const runtime = createToolRuntime({ tools: [Echo], permissions: { allow: ['Echo'] }, telemetry: { tracer } })

    await runtime.run([createToolUse('Echo', { text: 'secret' })]).results

    const [span, ...steps] = tracer.spans
    expect(span?.name).toBe('execute_tool Echo')
    expect(span?.parent).toBeUndefined()
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Echo',
      'gen_ai.tool.call.id': 'toolu_1',
      'gen_ai.tool.type': 'function',
      'haft.permission.behavior': 'allow',
      'haft.permission.reason': 'rule',
    })
    expect(span?.status).toBeUndefined()
    expect(steps.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['queue', 'validate', 'pre-hooks', 'permission', 'call', 'post-hooks']),
    )
    for (const step of steps) {
      expect(step.parent).toBe(span)
      expect(step.startTime).toBeGreaterThanOrEqual(span?.startTime ?? Number.NaN)
      expect(step.endTime).toBeGreaterThanOrEqual(step.startTime)
      expect(step.endTime).toBeLessThanOrEqual(span?.endTime ?? Number.NaN)
    }
    expect(JSON.stringify(tracer.spans.map(({ attributes }) => attributes))).not.toContain('secret')
  })

  test('receives the error type of a call, and how long the user took to answer', async () => {
    const tracer = createFakeTracer()
    const runtime = createToolRuntime({
      tools: [Echo],
      mcpTools: () => [createFixtureMcpTool('slack', 'send')],
      ask: async () => ({ behavior: 'deny', message: 'no' }),
      telemetry: { tracer },
    })

    await runtime.run([createToolUse('mcp__slack__send', { query: 'x' }, 'a'), createToolUse('Nobody', {}, 'b')])
      .results

    const [deniedSpan, unknownSpan] = tracer.spans.filter(({ parent }) => parent === undefined)
    expect(deniedSpan?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'mcp__slack__send',
      'gen_ai.tool.call.id': 'a',
      'gen_ai.tool.type': 'extension',
      'haft.permission.behavior': 'deny',
      'haft.permission.reason': 'person',
      'haft.permission.waited_ms': expect.any(Number),
      'error.type': 'permission_denied',
    })
    expect([deniedSpan?.status, unknownSpan?.status]).toEqual([{ code: 2 }, { code: 2 }])
    expect(unknownSpan?.attributes['error.type']).toBe('unknown_tool')
    expect(tracer.spans.every(({ endTime }) => endTime !== undefined)).toBe(true)
  })

  test('receives how long the user took to answer during a step, as the timer does', async () => {
    const tracer = createFakeTracer()
    const waitedMsByStep: Record<string, number | undefined> = {}
    const runtime = createToolRuntime({
      tools: [Echo],
      ask: async () => {
        const start = performance.now()
        while (performance.now() - start < 2);
        return { behavior: 'allow' }
      },
      telemetry: {
        tracer,
        timer: {
          step(_id, step, _start, _end, waitedMs) {
            waitedMsByStep[step] = waitedMs
          },
        },
      },
    })

    await runtime.run([createToolUse('Echo', { text: 'x' })]).results

    const spans = tracer.spans.map(({ name, attributes }) => [name, attributes['haft.waited_ms']])
    expect(waitedMsByStep.permission).toEqual(expect.any(Number))
    expect(spans).toContainEqual(['permission', waitedMsByStep.permission])
    expect(spans).toContainEqual(['call', undefined])
  })

  test('does not affect the calls when it throws', async () => {
    const tracer: OtelTracer = {
      startSpan() {
        throw new Error('exporter is down')
      },
    }
    const steps: string[] = []
    const timer = { step: (_: string, step: string) => void steps.push(step) }
    const runtime = createToolRuntime({ tools: [Echo], permissions: { allow: ['Echo'] }, telemetry: { tracer, timer } })

    const [result] = await runtime.run([createToolUse('Echo', { text: 'fine' })]).results

    expect(result?.content).toBe('fine')
    expect(steps).toContain('call')
  })
})

test('the context of a span is immutable', async () => {
  const contexts: OtelContext[] = []
  const span: OtelSpan = { setAttribute() {}, setStatus() {}, end() {} }
  const tracer: OtelTracer = {
    startSpan(_name, _options, context) {
      if (context !== undefined) contexts.push(context)
      return span
    },
  }
  const runtime = createToolRuntime({ tools: [Echo], permissions: { allow: ['Echo'] }, telemetry: { tracer } })
  await runtime.run([createToolUse('Echo', { text: 'x' })]).results
  const [context] = contexts
  const key = Symbol('mine')

  const changedContext = context?.setValue(key, 1)

  expect([
    context?.getValue(key),
    changedContext?.getValue(key),
    changedContext?.deleteValue(key).getValue(key),
  ]).toEqual([undefined, 1, undefined])
  expect(changedContext?.getValue(SPAN_KEY)).toBe(span)
})
