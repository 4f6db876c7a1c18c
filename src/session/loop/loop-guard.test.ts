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
  description: 'Has nothing to say of its inputs',
  inputSchema: z.object({ path: z.string(), depth: z.number().default(1) }),
  async call() {
    return { data: '' }
  },
})

let ids = 0
function made(name: string, input: unknown, said = 'nothing'): [ToolUseBlock, ToolResultBlock] {
  const id = `${ids++}`
  return [
    { type: 'tool_use', id, name, input },
    { type: 'tool_result', tool_use_id: id, content: said },
  ]
}
const plain = (path: string, said?: string) => made('Plain', { path }, said)

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
  test('is pointed out the third time, and is a circle after three more', () => {
    const see = observer()
    const findings = Array.from({ length: 6 }, () => see(plain('a')))
    expect(findings).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('counts once in a message, however often it is made there: no result had been seen', () => {
    const see = observer()
    const nine = () => see(...Array.from({ length: 9 }, () => plain('a')))
    expect([nine(), nine(), nine(), nine(), see(plain('a')), nine()]).toEqual([
      'fine',
      'fine',
      'repeated',
      'fine',
      'fine',
      'stuck',
    ])
  })

  test('in messages of several calls is seen as well', () => {
    const see = observer()
    const findings = Array.from({ length: 6 }, () => see(plain('a'), plain('b')))
    expect(findings).toEqual(['fine', 'fine', 'repeated', 'fine', 'fine', 'stuck'])
  })

  test('is forgotten after another call', () => {
    const see = observer()
    const findings = [see(plain('a')), see(plain('a')), see(plain('b')), see(plain('a')), see(plain('a'))]
    expect(new Set(findings)).toEqual(new Set(['fine']))
    expect(see(plain('a'))).toBe('repeated')
    expect(see(plain('b'))).toBe('fine')
    expect([see(plain('a')), see(plain('a')), see(plain('a'))]).toEqual(['fine', 'fine', 'repeated'])
  })
})

test('the same call with another result is progress', () => {
  const see = observer()
  const findings = Array.from({ length: 9 }, (_, index) => see(plain('a', `${index}`)))
  expect(new Set(findings)).toEqual(new Set(['fine']))
})

describe('what counts as the same', () => {
  const thrice = (...calls: readonly [ToolUseBlock, ToolResultBlock][]) => {
    const see = observer()
    return calls.map((call) => see(call)).at(-1)
  }

  test('is for the tool to say', () => {
    expect(thrice(...['A', 'a', 'A'].map((path) => made('Path', { path })))).toBe('repeated')
    expect(thrice(...['A', 'a', 'A'].map((path) => made('Plain', { path })))).toBe('fine')
  })

  test('is else what the schema makes of the input, in any order of its members', () => {
    const calls = [{ path: 'a' }, { depth: 1, path: 'a' }, { path: 'a', depth: 1 }]
    expect(thrice(...calls.map((input) => made('Plain', input)))).toBe('repeated')
  })

  test('goes by the tool, whatever name it was called by', () => {
    const calls = ['Path', 'OldPath', 'Path'].map((name) => made(name, { path: 'a' }))
    expect(thrice(...calls)).toBe('repeated')
  })

  test('is seen of calls that nobody can make sense of', () => {
    expect(thrice(...[1, 2, 3].map(() => made('Nowhere', 'no JSON')))).toBe('repeated')
    expect(thrice(...[1, 2, 3].map((text) => made('Plain', { path: text })))).toBe('fine')
  })
})
