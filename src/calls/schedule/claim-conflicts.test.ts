import { describe, expect, test } from 'vitest'
import { areConflicting, type Claims, EXCLUSIVE, foldersAbove, haveGrown, SHARED } from './claims.js'

const listed = (reads: readonly string[], writes: readonly string[]): Claims => ({ kind: 'listed', reads, writes })

describe('areConflicting', () => {
  test.each<[boolean, string, Claims, Claims]>([
    [true, 'both calls write the same path', listed([], ['/a']), listed([], ['/a'])],
    [true, 'one call writes what the other reads', listed([], ['shell:cwd']), listed(['shell:cwd'], ['/x'])],
    [true, 'one call writes a folder, and the other reads in it', listed([], ['/a']), listed(['/a/b'], [])],
    [false, 'both calls only read the same path', listed(['/a'], []), listed(['/a'], [])],
    [false, 'the calls write different paths', listed([], ['/a']), listed([], ['/ab'])],
    [false, 'one call has no resource list', EXCLUSIVE, listed([], ['/a'])],
  ])('is %s if %s', (expected, _, one, other) => {
    expect([areConflicting(one, other), areConflicting(other, one)]).toEqual([expected, expected])
  })
})

describe('haveGrown', () => {
  test.each<[string, Claims, Claims, boolean]>([
    ['an exclusive claim covers everything', EXCLUSIVE, listed([], ['/a']), false],
    ['an exclusive claim covers an exclusive claim', EXCLUSIVE, EXCLUSIVE, false],
    ['a shared claim covers every read', SHARED, listed(['/a'], []), false],
    ['a shared claim covers no write', SHARED, listed([], ['/a']), true],
    ['a shared claim does not cover an exclusive one', SHARED, EXCLUSIVE, true],
    ['a list does not cover everything', listed([], ['/a']), SHARED, true],
    ['a list covers the same list', listed(['/a'], ['/b']), listed(['/a'], ['/b']), false],
    ['a list covers a shorter list', listed(['/a'], ['/b']), listed([], []), false],
    ['a list does not cover another file', listed(['/a'], []), listed(['/b'], []), true],
    ['a read does not cover a write', listed(['/a'], []), listed([], ['/a']), true],
    ['a write covers a read', listed([], ['/a']), listed(['/a'], []), false],
    ['a folder covers its content', listed([], ['/a']), listed(['/a/b/c'], ['/a/d']), false],
    ['a file does not cover its folder', listed([], ['/a/b']), listed([], ['/a']), true],
    ['a path does not cover one with the same prefix', listed([], ['/a']), listed([], ['/ab']), true],
  ])('%s', (_, before, after, expected) => {
    expect(haveGrown(before, after)).toBe(expected)
  })
})

test.each([
  ['/a/b/c', ['/a/b', '/a', '']],
  ['/a', ['']],
  ['', []],
  ['thing:todo:list', []],
  ['thing:db:users/1', []],
  ['C:/a', ['C:']],
  ['//server/share', ['//server', '/', '']],
])('foldersAbove(%j) is %j', (key, folders) => {
  expect(foldersAbove(key)).toEqual(folders)
})
