import { expect, test } from 'vitest'
import { areConflicting } from './are-conflicting.js'
import { type Claims, EXCLUSIVE } from './claims.js'

const listed = (reads: readonly string[], writes: readonly string[]): Claims => ({ kind: 'listed', reads, writes })

test.each<[string, Claims, Claims, boolean]>([
  ['two that write the same', listed([], ['/a']), listed([], ['/a']), true],
  ['one that writes what the other reads', listed([], ['shell:cwd']), listed(['shell:cwd'], ['/x']), true],
  ['one that writes a folder and one that reads in it', listed([], ['/a']), listed(['/a/b'], []), true],
  ['two that read the same', listed(['/a'], []), listed(['/a'], []), false],
  ['two that write different things', listed([], ['/a']), listed([], ['/ab']), false],
  ['one that lists nothing and one that does', EXCLUSIVE, listed([], ['/a']), false],
])('%s: %3$s', (_, one, other, expected) => {
  expect([areConflicting(one, other), areConflicting(other, one)]).toEqual([expected, expected])
})
