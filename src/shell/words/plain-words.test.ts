import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { splitPlainWords } from './plain-words.js'

test.each([
  ['sed -i s/a/b/ file', ['sed', '-i', 's/a/b/', 'file']],
  [`a 'b c' "d e"f'g'`, ['a', 'b c', 'd efg']],
  [`''`, ['']],
  ['  a\tb  ', ['a', 'b']],
  ['', []],
  [`"it's"`, ["it's"]],
])('splitPlainWords removes the quotes of %j', (command, words) => expect(splitPlainWords(command)).toEqual(words))

test.each([
  'a;b',
  'a|b',
  '$a',
  '"$a"',
  '`a`',
  'a*',
  '~',
  'a\\b',
  '"a\\b"',
  '{a,b}',
  "'a",
  '"a',
  'a\nb',
  '#a',
  '!a',
  'a&',
])('splitPlainWords returns undefined for %j', (command) => expect(splitPlainWords(command)).toBeUndefined())

test('splitPlainWords splits words exactly like bash', () => {
  const part = fc.constantFrom('a', '=', ' ', "'", '"', '$x', '*', '\\', 'b-', '/', ';', '#', '~', '\t', '%', '{a,b}')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const words = splitPlainWords(parts.join(''))
      if (words === undefined) return
      const output = execFileSync('bash', ['-c', `printf '%s\\0' x ${parts.join('')}`], { encoding: 'utf8' })
      expect(['x', ...words]).toEqual(output.split('\0').slice(0, -1))
    }),
    createPropertyOptions(100),
  )
})
