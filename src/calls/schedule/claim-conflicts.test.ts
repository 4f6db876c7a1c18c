import { describe, expect, test } from 'vitest'
import {
  type Claims,
  EXCLUSIVE_CLAIMS,
  findWrittenKey,
  haveGrown,
  type ListedClaims,
  listFoldersAbove,
  SHARED_CLAIMS,
} from './claims.js'

const createClaims = (reads: readonly string[], writes: readonly string[]): ListedClaims => ({
  kind: 'listed',
  reads,
  writes,
})

describe('findWrittenKey', () => {
  test.each<[string, string | undefined, ListedClaims, ListedClaims]>([
    ['both calls write the same path', '/a', createClaims([], ['/a']), createClaims([], ['/a'])],
    ['the second call reads what the first writes', '/a', createClaims([], ['/a']), createClaims(['/b', '/a'], ['/x'])],
    [
      'the first call writes a folder, and the second reads in it',
      '/a/b',
      createClaims([], ['/a']),
      createClaims(['/a/b'], []),
    ],
    [
      'the first call writes in a folder that the second reads',
      '/a',
      createClaims([], ['/a/b']),
      createClaims(['/a'], []),
    ],
    ['the second call writes what the first reads', undefined, createClaims(['/a'], []), createClaims([], ['/a'])],
    ['both calls only read the same path', undefined, createClaims(['/a'], []), createClaims(['/a'], [])],
    ['the calls write different paths', undefined, createClaims([], ['/a']), createClaims([], ['/ab'])],
  ])('if %s, returns %s', (_, expected, one, other) => {
    expect(findWrittenKey(one, other)).toBe(expected)
  })
})

describe('claims have grown exactly if the old claims do not cover the new ones', () => {
  test.each<[string, Claims, Claims, boolean]>([
    ['an exclusive claim covers everything', EXCLUSIVE_CLAIMS, createClaims([], ['/a']), false],
    ['an exclusive claim covers an exclusive claim', EXCLUSIVE_CLAIMS, EXCLUSIVE_CLAIMS, false],
    ['a shared claim covers every read', SHARED_CLAIMS, createClaims(['/a'], []), false],
    ['a shared claim covers no write', SHARED_CLAIMS, createClaims([], ['/a']), true],
    ['a shared claim does not cover an exclusive one', SHARED_CLAIMS, EXCLUSIVE_CLAIMS, true],
    ['a list does not cover everything', createClaims([], ['/a']), SHARED_CLAIMS, true],
    ['a list covers the same list', createClaims(['/a'], ['/b']), createClaims(['/a'], ['/b']), false],
    ['a list covers a shorter list', createClaims(['/a'], ['/b']), createClaims([], []), false],
    ['a list does not cover another file', createClaims(['/a'], []), createClaims(['/b'], []), true],
    ['a read does not cover a write', createClaims(['/a'], []), createClaims([], ['/a']), true],
    ['a write covers a read', createClaims([], ['/a']), createClaims(['/a'], []), false],
    ['a folder covers its content', createClaims([], ['/a']), createClaims(['/a/b/c'], ['/a/d']), false],
    ['a file does not cover its folder', createClaims([], ['/a/b']), createClaims([], ['/a']), true],
    ['a path does not cover one with the same prefix', createClaims([], ['/a']), createClaims([], ['/ab']), true],
  ])('%s', (_, claimsBefore, claimsAfter, expected) => {
    expect(haveGrown(claimsBefore, claimsAfter)).toBe(expected)
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
])('listFoldersAbove(%j) returns %j', (key, folders) => {
  expect(listFoldersAbove(key)).toEqual(folders)
})
