import { describe, expect, test } from 'vitest'
import type { Tool, ToolContext } from './tool.js'
import {
  checkCallPermissions,
  getConstantTrait,
  isCallConcurrencySafe,
  isCallDestructive,
  isCallReadOnly,
  isToolEnabled,
} from './traits.js'

const context = {} as ToolContext

/** A tool whose predicates all call `answer`, which may also throw. */
function createToolAnswering(answer: () => any): Tool {
  return {
    name: 'Odd',
    isEnabled: answer,
    isReadOnly: answer,
    isConcurrencySafe: answer,
    isDestructive: answer,
    checkPermissions: answer,
  } as unknown as Tool
}

const throwError = () => {
  throw new Error('no idea')
}

describe.each([
  ['throws', throwError],
  ['returns a promise', async () => true],
  ['returns a string', () => 'yes'],
  ['returns undefined', () => undefined],
])('if a predicate of a tool %s', (_, answer) => {
  const tool = createToolAnswering(answer)
  test('the tool is not enabled', () => expect(isToolEnabled(tool)).toBe(false))
  test('the call is not read-only', () => expect(isCallReadOnly(tool, {})).toBe(false))
  test('the call is not concurrency-safe', () => expect(isCallConcurrencySafe(tool, {})).toBe(false))
  test('the call is destructive', () => expect(isCallDestructive(tool, {})).toBe(true))
})

test('the boolean answers of predicates are returned unchanged', () => {
  expect(
    isCallReadOnly(
      createToolAnswering(() => true),
      {},
    ),
  ).toBe(true)
  expect(
    isCallDestructive(
      createToolAnswering(() => false),
      {},
    ),
  ).toBe(false)
})

describe('checkCallPermissions', () => {
  test.each([
    ['throws', throwError],
    ['rejects', async () => throwError()],
    ['returns undefined', () => undefined],
    ['returns an unknown behaviour', () => ({ behavior: 'sure' })],
  ])('asks the user if checkPermissions %s', async (_, answer) => {
    expect(await checkCallPermissions(createToolAnswering(answer), {}, context)).toMatchObject({ behavior: 'ask' })
  })

  test('returns the answer of the tool', async () => {
    expect(
      await checkCallPermissions(
        createToolAnswering(async () => ({ behavior: 'deny', message: 'no' })),
        {},
        context,
      ),
    ).toEqual({
      behavior: 'deny',
      message: 'no',
    })
  })
})

describe('getConstantTrait', () => {
  test('returns the value of a predicate without parameters', () =>
    expect(
      getConstantTrait(
        createToolAnswering(() => true),
        'isReadOnly',
      ),
    ).toBe(true))
  test.each<[string, (...args: any[]) => boolean]>([
    ['depends on a field of its input', (input) => input.command === 'ls'],
    ['has a default for its input', (input = { command: 'ls' }) => input.command === 'ls'],
    ['takes its input as a rest parameter', (...inputs) => inputs[0].command === 'ls'],
    ['lists the fields of its input', (input) => Object.keys(input).length === 0],
  ])('returns null if the predicate %s', (_, isReadOnly) => {
    expect(getConstantTrait({ ...createToolAnswering(() => true), isReadOnly }, 'isReadOnly')).toBeNull()
  })
  test('returns the value of a predicate that ignores its parameter', () => {
    expect(
      getConstantTrait({ ...createToolAnswering(() => true), isReadOnly: (_input: unknown) => true }, 'isReadOnly'),
    ).toBe(true)
  })
})
