import { expect, test } from 'vitest'
import { reasonOf } from '../shared/reason-of.js'
import { asToolCallError, ToolCallError } from './errors.js'

const hostile = {
  get message(): string {
    throw new Error('no')
  },
}
const closed = new Proxy(
  {},
  {
    get() {
      throw new Error('no')
    },
    getPrototypeOf() {
      throw new Error('no')
    },
  },
)

const CASES: readonly (readonly [name: string, thrown: () => unknown, reason: string])[] = [
  ['an error', () => new Error('disk full'), 'disk full'],
  ['a string', () => 'plain text', 'plain text'],
  ['nothing', () => undefined, ''],
  ['null', () => null, ''],
  ['a number', () => 42, '42'],
  ['a symbol', () => Symbol('why'), 'Symbol(why)'],
  ['an object without a prototype', () => Object.create(null), ''],
  ['a message that is not a string', () => ({ message: 5 }), ''],
  ['a message that throws', () => hostile, ''],
  ['a proxy that throws on every access', () => closed, ''],
]

test.each(CASES)('the message for %s contains its readable parts', (_, thrown, reason) => {
  expect(reasonOf(thrown())).toBe(reason)
})

test('any thrown value becomes a tool failure with its message', () => {
  expect([new Error('disk full'), closed].map((thrown) => asToolCallError('Write', thrown).message)).toEqual([
    'Write failed: disk full',
    'Write failed without an error message.',
  ])
})

test('a ToolCallError is returned unchanged', () => {
  const failure = new ToolCallError('input_refused', 'no')

  expect(asToolCallError('Write', failure)).toBe(failure)
})
