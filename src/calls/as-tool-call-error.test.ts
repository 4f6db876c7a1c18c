import { expect, test } from 'vitest'
import { ToolCallError } from '../contract/errors.js'
import { reasonOf } from '../shared/reason-of.js'
import { asToolCallError } from './as-tool-call-error.js'

const throwingMessage = {
  get message(): string {
    throw new Error('no')
  },
}
const throwingProxy = new Proxy(
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

const THROWN_VALUES: readonly (readonly [name: string, thrown: () => unknown, reason: string])[] = [
  ['an error', () => new Error('disk full'), 'disk full'],
  ['a string', () => 'plain text', 'plain text'],
  ['undefined', () => undefined, ''],
  ['null', () => null, ''],
  ['a number', () => 42, '42'],
  ['a symbol', () => Symbol('why'), 'Symbol(why)'],
  ['an object without a prototype', () => Object.create(null), ''],
  ['a message that is not a string', () => ({ message: 5 }), ''],
  ['a message that throws', () => throwingMessage, ''],
  ['a proxy that throws on every access', () => throwingProxy, ''],
]

test.each(THROWN_VALUES)('reasonOf returns the readable message of %s', (_, thrownValue, reason) => {
  expect(reasonOf(thrownValue())).toBe(reason)
})

test('asToolCallError converts any thrown value to a tool failure with its message', () => {
  expect(
    [new Error('disk full'), throwingProxy].map((thrownValue) => asToolCallError('Write', thrownValue).message),
  ).toEqual(['Write failed: disk full', 'Write failed without an error message.'])
})

test('asToolCallError returns a ToolCallError unchanged', () => {
  const failure = new ToolCallError('input_refused', 'no')

  expect(asToolCallError('Write', failure)).toBe(failure)
})
