import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { matchesGlob, parseGlobPart } from './match-glob.js'

function matches(pattern: string, path: string): boolean {
  return matchesGlob(pattern.split('/').map(parseGlobPart), path.split('/'))
}

describe('a glob pattern', () => {
  test.each([
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', 'a/b', false],
    ['*', 'a', true],
    ['*', 'a/b', false],
    ['*.ts', 'x.ts', true],
    ['*.ts', 'x.tsx', false],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'a1c2b', false],
    ['?', 'é', true],
    ['?', '😀', true],
    ['?', 'ab', false],
    ['[ab]x', 'bx', true],
    ['[a-c]', 'b', true],
    ['[!a-c]', 'b', false],
    ['[^a-c]', 'd', true],
    ['[]]', ']', true],
    ['[a-]', '-', true],
    ['[id]', 'i', true],
    ['[id]', '[id]', true],
    ['[open', '[open', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['**', 'a/b/c', true],
    ['**/c', 'c', true],
    ['**/c', 'a/b/c', true],
    ['a/**/c', 'a/c', true],
    ['a/**/c', 'a/x/y/c', true],
    ['a/**/c', 'a/x/y/d', false],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['**/a/**/b', 'x/a/y/a/z/b', true],
  ])('%s matches %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  test('with stars and question marks matches the same names as an equivalent regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    fc.assert(
      fc.property(letters, names, (pattern, name) => {
        fc.pre(pattern !== '' && pattern !== '**')
        const source = pattern.replaceAll('*', '.*').replaceAll('?', '.')
        expect(matchesGlob([parseGlobPart(pattern)], [name])).toBe(new RegExp(`^${source}$`).test(name))
      }),
      createPropertyOptions(500),
    )
  })

  test('that is designed to be slow is still matched quickly', () => {
    const stars = `${'*a'.repeat(200)}b`
    const folders = `${'**/a/'.repeat(200)}b`

    expect(matches(stars, 'a'.repeat(20_000))).toBe(false)
    expect(matches(folders, Array(20_000).fill('a').join('/'))).toBe(false)
  })
})
