import { expect, test } from 'vitest'
import { findPatternProblem, splitPattern } from './split-pattern.js'

test.each([
  ['*.ts', '', '*.ts'],
  ['a.ts', '', 'a.ts'],
  ['**/*.ts', '', '**/*.ts'],
  ['src/*.ts', 'src', '/*.ts'],
  ['src/deep/**/*.ts', 'src/deep', '/**/*.ts'],
  ['src/a.ts', 'src', '/a.ts'],
  ['../other/*.ts', '../other', '/*.ts'],
  ['./*.ts', '.', '/*.ts'],
  ['/etc/*.conf', '/etc', '/*.conf'],
  ['/*.conf', '/', '/*.conf'],
  ['/etc', '/', '/etc'],
  ['a/{b,c}/d', 'a', '/{b,c}/d'],
  ['a/{b/c,d}/*', 'a', '/{b/c,d}/*'],
  ['a/b\\*/c', 'a', '/b\\*/c'],
])('%j starts in the folder %j and searches for %j', (pattern, folder, remainingPattern) =>
  expect(splitPattern(pattern)).toEqual({ folder, remainingPattern }),
)

test.each([
  ['!a', 'cannot start with "!"'],
  ['src/', 'To find the files in it, write "src/**"'],
  ['*/../secret', '".." is not allowed after a wildcard'],
  ['{..,a}/x', '".." is not allowed after a wildcard'],
  ['a/{b,../../c}/x', '".." is not allowed after a wildcard'],
  ['a[b', 'Unclosed "["'],
  ['a{b,c', 'Unbalanced'],
])('%j is refused', (pattern, message) => expect(findPatternProblem(pattern)).toContain(message))

test.each(['**/*.{ts,tsx}', '[a-z]*', '[]]', '[!a]', 'a..b/*', '../x', '\\[x', '[{]x'])(
  '%j is a valid pattern',
  (pattern) => expect(findPatternProblem(pattern)).toBeUndefined(),
)
