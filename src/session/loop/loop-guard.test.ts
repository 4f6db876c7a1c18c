import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { LoopGuard } from './loop-guard.js'

const Path = buildTool({
  name: 'Path',
  aliases: ['OldPath'],
  description: 'Looks at a path',
  inputSchema: z.object({ path: z.string(), depth: z.number().default(1) }),
  inputsEquivalent: (a, b) => a.path.toLowerCase() === b.path.toLowerCase(),
  async call() {
    return { data: '' }
  },
})
const Plain = buildTool({
  name: 'Plain',
  description: 'Does not compare its inputs itself',
  inputSchema: z.object({ path: z.string(), depth: z.number().default(1) }),
  async call() {
    return { data: '' }
  },
})

let ids = 0
function made(name: string, input: unknown, result = 'nothing'): [ToolUseBlock, ToolResultBlock] {
  const id = `${ids++}`
  return [
    { type: 'tool_use', id, name, input },
    { type: 'tool_result', tool_use_id: id, content: result },
  ]
}
const plain = (path: string, result?: string) => made('Plain', { path }, result)

function observer() {
  const guard = new LoopGuard()
  return (...calls: readonly [ToolUseBlock, ToolResultBlock][]) =>
    guard.observe(
      calls.map(([call]) => call),
      calls.map(([, result]) => result),
      [Path, Plain],
    )
}

describe('the same call with the same result', () => {
  test('is reported the third time, and as stuck after three more', () => {
    const see = observer()
    const findings = Array.from({ length: 6 }, () => see(plain('a')))
    expect(findings).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('counts once per message, because the model had not seen a result yet', () => {
    const see = observer()
    const observeNineCalls = () => see(...Array.from({ length: 9 }, () => plain('a')))
    expect([
      observeNineCalls(),
      observeNineCalls(),
      observeNineCalls(),
      observeNineCalls(),
      see(plain('a')),
      observeNineCalls(),
    ]).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('is detected in messages with several calls, too', () => {
    const see = observer()
    const findings = Array.from({ length: 6 }, () => see(plain('a'), plain('b')))
    expect(findings).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('is reset by a different call', () => {
    const see = observer()
    const findings = [see(plain('a')), see(plain('a')), see(plain('b')), see(plain('a')), see(plain('a'))]
    expect(new Set(findings)).toEqual(new Set(['fine']))
    expect(see(plain('a'))).toBe('repeated')
    expect(see(plain('b'))).toBe('fine')
    expect([see(plain('a')), see(plain('a')), see(plain('a'))]).toEqual(['fine', 'fine', 'repeated'])
  })
})

test('the same call with a different result counts as progress', () => {
  const see = observer()
  const findings = Array.from({ length: 9 }, (_, index) => see(plain('a', `${index}`)))
  expect(new Set(findings)).toEqual(new Set(['fine']))
})

describe('equality of calls', () => {
  const observeThree = (...calls: readonly [ToolUseBlock, ToolResultBlock][]) => {
    const see = observer()
    return calls.map((call) => see(call)).at(-1)
  }

  test('can be defined by the tool', () => {
    expect(observeThree(...['A', 'a', 'A'].map((path) => made('Path', { path })))).toBe('repeated')
    expect(observeThree(...['A', 'a', 'A'].map((path) => made('Plain', { path })))).toBe('fine')
  })

  test('otherwise compares the parsed input in any key order', () => {
    const calls = [{ path: 'a' }, { depth: 1, path: 'a' }, { path: 'a', depth: 1 }]
    expect(observeThree(...calls.map((input) => made('Plain', input)))).toBe('repeated')
  })

  test('treats aliases of a tool as the same tool', () => {
    const calls = ['Path', 'OldPath', 'Path'].map((name) => made(name, { path: 'a' }))
    expect(observeThree(...calls)).toBe('repeated')
  })

  test('works for unknown tools and invalid input', () => {
    expect(observeThree(...[1, 2, 3].map(() => made('UnknownTool', 'not JSON')))).toBe('repeated')
    expect(observeThree(...[1, 2, 3].map((text) => made('Plain', { path: text })))).toBe('fine')
  })
})
