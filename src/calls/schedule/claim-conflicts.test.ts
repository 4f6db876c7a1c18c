import { describe, expect, test } from 'vitest'
import { type Claims, EXCLUSIVE, findWrittenKey, foldersAbove, haveGrown, type ListedClaims, SHARED } from './claims.js'

const listed = (reads: readonly string[], writes: readonly string[]): ListedClaims => ({
  kind: 'listed',
  reads,
  writes,
})

describe('findWrittenKey', () => {
  test.each<[string, string | undefined, ListedClaims, ListedClaims]>([
    ['both calls write the same path', '/a', listed([], ['/a']), listed([], ['/a'])],
    ['the second call reads what the first writes', '/a', listed([], ['/a']), listed(['/b', '/a'], ['/x'])],
    ['the first call writes a folder, and the second reads in it', '/a/b', listed([], ['/a']), listed(['/a/b'], [])],
    ['the first call writes in a folder that the second reads', '/a', listed([], ['/a/b']), listed(['/a'], [])],
    ['the second call writes what the first reads', undefined, listed(['/a'], []), listed([], ['/a'])],
    ['both calls only read the same path', undefined, listed(['/a'], []), listed(['/a'], [])],
    ['the calls write different paths', undefined, listed([], ['/a']), listed([], ['/ab'])],
  ])('if %s, returns %s', (_, expected, one, other) => {
    expect(findWrittenKey(one, other)).toBe(expected)
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
