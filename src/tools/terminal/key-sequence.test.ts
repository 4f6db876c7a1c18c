import { expect, test } from 'vitest'
import { toKeySequence } from './key-sequence.js'

test.each([
  [['<Escape>', ':wq', '<Enter>'], '\u001b:wq\r'],
  [['<C-c>'], '\u0003'],
  [['<C-[>'], '\u001b'],
  [['<M-x>'], '\u001bx'],
  [['<Up>', '<F5>', '<PageDown>'], '\u001b[A\u001b[15~\u001b[6~'],
  [['<enter>'], '\r'],
  [['a < b > c', '<', 'Enter>', '<a b>'], 'a < b > c<Enter><a b>'],
  [[], ''],
])('%j is sent as %j', (keys, sequence) => expect(toKeySequence(keys)).toBe(sequence))

test('an unknown key is refused, and a similar key is suggested', () => {
  expect(() => toKeySequence(['<Entr>'])).toThrow('Unknown key "<Entr>". Did you mean <Enter>')
  expect(() => toKeySequence(['<C-ü>'])).toThrow('split it: ["<", "C-ü>"]')
})
