import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { LoopGuard } from './judge-answer.js'

const PathTool = buildTool({
  name: 'Path',
  aliases: ['OldPath'],
  description: 'Looks at a path',
  inputSchema: z.object({ path: z.string(), depth: z.number().default(1) }),
  inputsEquivalent: (a, b) => a.path.toLowerCase() === b.path.toLowerCase(),
  async call() {
    return { data: '' }
  },
})
const PlainTool = buildTool({
  name: 'Plain',
  description: 'Does not compare its inputs itself',
  inputSchema: z.object({ path: z.string(), depth: z.number().default(1) }),
  async call() {
    return { data: '' }
  },
})

let nextId = 0
function callWithResult(name: string, input: unknown, result = 'nothing'): [ToolUseBlock, ToolResultBlock] {
  const id = `${nextId++}`
  return [
    { type: 'tool_use', id, name, input },
    { type: 'tool_result', tool_use_id: id, content: result },
  ]
}
const createPlainCall = (path: string, result?: string) => callWithResult('Plain', { path }, result)

function createObserver() {
  const guard = new LoopGuard()
  return (...calls: readonly [ToolUseBlock, ToolResultBlock][]) =>
    guard.observe(
      calls.map(([call]) => call),
      calls.map(([, result]) => result),
      [PathTool, PlainTool],
    )
}

describe('the same call with the same result', () => {
  test('is reported the third time, and as stuck after three more', () => {
    const observe = createObserver()
    const findings = Array.from({ length: 6 }, () => observe(createPlainCall('a')))
    expect(findings).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('counts once per message, because the model had not seen a result yet', () => {
    const observe = createObserver()
    const observeNineCalls = () => observe(...Array.from({ length: 9 }, () => createPlainCall('a')))
    expect([
      observeNineCalls(),
      observeNineCalls(),
      observeNineCalls(),
      observeNineCalls(),
      observe(createPlainCall('a')),
      observeNineCalls(),
    ]).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('is detected in messages with several calls, too', () => {
    const observe = createObserver()
    const findings = Array.from({ length: 6 }, () => observe(createPlainCall('a'), createPlainCall('b')))
    expect(findings).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('is reset by a different call', () => {
    const observe = createObserver()
    const findings = [
      observe(createPlainCall('a')),
      observe(createPlainCall('a')),
      observe(createPlainCall('b')),
      observe(createPlainCall('a')),
      observe(createPlainCall('a')),
    ]
    expect(new Set(findings)).toEqual(new Set(['fine']))
    expect(observe(createPlainCall('a'))).toBe('repeated')
    expect(observe(createPlainCall('b'))).toBe('fine')
    expect([observe(createPlainCall('a')), observe(createPlainCall('a')), observe(createPlainCall('a'))]).toEqual([
      'fine',
      'fine',
      'repeated',
    ])
  })
})

test('the same call with a different result counts as progress', () => {
  const observe = createObserver()
  const findings = Array.from({ length: 9 }, (_, index) => observe(createPlainCall('a', `${index}`)))
  expect(new Set(findings)).toEqual(new Set(['fine']))
})

describe('the comparison of calls', () => {
  const observeThreeTimes = (...calls: readonly [ToolUseBlock, ToolResultBlock][]) => {
    const observe = createObserver()
    return calls.map((call) => observe(call)).at(-1)
  }

  test('can be defined by the tool', () => {
    expect(observeThreeTimes(...['A', 'a', 'A'].map((path) => callWithResult('Path', { path })))).toBe('repeated')
    expect(observeThreeTimes(...['A', 'a', 'A'].map((path) => callWithResult('Plain', { path })))).toBe('fine')
  })

  test('uses the parsed input by default, in any key order', () => {
    const calls = [{ path: 'a' }, { depth: 1, path: 'a' }, { path: 'a', depth: 1 }]
    expect(observeThreeTimes(...calls.map((input) => callWithResult('Plain', input)))).toBe('repeated')
  })

  test('treats aliases of a tool as the same tool', () => {
    const calls = ['Path', 'OldPath', 'Path'].map((name) => callWithResult(name, { path: 'a' }))
    expect(observeThreeTimes(...calls)).toBe('repeated')
  })

  test('uses the raw input for unknown tools and invalid input', () => {
    expect(observeThreeTimes(...[1, 2, 3].map(() => callWithResult('UnknownTool', 'not JSON')))).toBe('repeated')
    expect(observeThreeTimes(...[1, 2, 3].map((text) => callWithResult('Plain', { path: text })))).toBe('fine')
  })
})
