import { expect, test } from 'vitest'
import { areGrown } from './are-grown.js'
import { type Claims, EXCLUSIVE, SHARED } from './claims.js'

function listed(reads: string[], writes: string[]): Claims {
  return { kind: 'listed', reads, writes }
}

test.each<[string, Claims, Claims, boolean]>([
  ['everything alone holds all there is', EXCLUSIVE, listed([], ['/a']), false],
  ['everything alone is not outgrown by itself', EXCLUSIVE, EXCLUSIVE, false],
  ['reading everything covers every read', SHARED, listed(['/a'], []), false],
  ['reading everything covers no write', SHARED, listed([], ['/a']), true],
  ['reading everything is less than holding it alone', SHARED, EXCLUSIVE, true],
  ['a list is less than everything', listed([], ['/a']), SHARED, true],
  ['the same list is no more', listed(['/a'], ['/b']), listed(['/a'], ['/b']), false],
  ['a shorter list is no more', listed(['/a'], ['/b']), listed([], []), false],
  ['another file is more', listed(['/a'], []), listed(['/b'], []), true],
  ['to write what was only read is more', listed(['/a'], []), listed([], ['/a']), true],
  ['to read what was to be written is no more', listed([], ['/a']), listed(['/a'], []), false],
  ['what is in a folder is covered by it', listed([], ['/a']), listed(['/a/b/c'], ['/a/d']), false],
  ['the folder is more than what is in it', listed([], ['/a/b']), listed([], ['/a']), true],
  ['a name that begins alike is another', listed([], ['/a']), listed([], ['/ab']), true],
])('%s', (_, before, after, isGrown) => {
  expect(areGrown(before, after)).toBe(isGrown)
})
