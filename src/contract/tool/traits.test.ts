import { describe, expect, test } from 'vitest'
import type { Tool, ToolContext } from './tool.js'
import {
  checkCallPermissions,
  constantTrait,
  isCallConcurrencySafe,
  isCallDestructive,
  isCallReadOnly,
  isToolEnabled,
} from './traits.js'

const context = {} as ToolContext

/** A tool whose predicates all return this answer. */
function answering(answer: () => any): Tool {
  return {
    name: 'Odd',
    isEnabled: answer,
    isReadOnly: answer,
    isConcurrencySafe: answer,
    isDestructive: answer,
    checkPermissions: answer,
  } as unknown as Tool
}

const throws = () => {
  throw new Error('no idea')
}

describe.each([
  ['throws', throws],
  ['returns a promise', async () => true],
  ['returns a string', () => 'yes'],
  ['returns undefined', () => undefined],
])('a predicate that %s counts as the safe answer', (_, answer) => {
  const tool = answering(answer)
  test('not enabled', () => expect(isToolEnabled(tool)).toBe(false))
  test('not read-only', () => expect(isCallReadOnly(tool, {})).toBe(false))
  test('not concurrency-safe', () => expect(isCallConcurrencySafe(tool, {})).toBe(false))
  test('destructive', () => expect(isCallDestructive(tool, {})).toBe(true))
})

test('boolean answers are returned unchanged', () => {
  expect(
    isCallReadOnly(
      answering(() => true),
      {},
    ),
  ).toBe(true)
  expect(
    isCallDestructive(
      answering(() => false),
      {},
    ),
  ).toBe(false)
})

describe('checkPermissions', () => {
  test.each([
    ['that throws', throws],
    ['that rejects', async () => throws()],
    ['that returns undefined', () => undefined],
    ['that returns an unknown behaviour', () => ({ behavior: 'sure' })],
  ])('%s becomes a question', async (_, answer) => {
    expect(await checkCallPermissions(answering(answer), {}, context)).toMatchObject({ behavior: 'ask' })
  })

  test('returns the answer of the tool', async () => {
    expect(
      await checkCallPermissions(
        answering(async () => ({ behavior: 'deny', message: 'no' })),
        {},
        context,
      ),
    ).toEqual({
      behavior: 'deny',
      message: 'no',
    })
  })
})

describe('a trait that does not depend on the input', () => {
  test('is found without an input', () =>
    expect(
      constantTrait(
        answering(() => true),
        'isReadOnly',
      ),
    ).toBe(true))
  test.each<[string, (...args: any[]) => boolean]>([
    ['looks at a field', (input) => input.command === 'ls'],
    ['has a default for its input', (input = { command: 'ls' }) => input.command === 'ls'],
    ['takes it among the rest', (...rest) => rest[0].command === 'ls'],
    ['lists the fields', (input) => Object.keys(input).length === 0],
  ])('is null if the predicate %s', (_, isReadOnly) => {
    expect(constantTrait({ ...answering(() => true), isReadOnly }, 'isReadOnly')).toBeNull()
  })
  test('is found if the predicate takes an input but does not read it', () => {
    expect(constantTrait({ ...answering(() => true), isReadOnly: (_input: unknown) => true }, 'isReadOnly')).toBe(true)
  })
})
