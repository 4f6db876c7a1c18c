import { expect, test } from 'vitest'
import { patternProblem, splitPattern } from './split-pattern.js'

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
])('%j begins in %j and looks for %j', (pattern, folder, rest) =>
  expect(splitPattern(pattern)).toEqual({ folder, rest }),
)

test.each([
  ['!a', 'cannot begin with "!"'],
  ['src/', 'For what is in it, write "src/**"'],
  ['*/../secret', '".." cannot stand behind a wildcard'],
  ['{..,a}/x', '".." cannot stand behind a wildcard'],
  ['a/{b,../../c}/x', '".." cannot stand behind a wildcard'],
  ['a[b', '"[" is not closed'],
  ['a{b,c', 'do not fit together'],
])('%j is refused', (pattern, message) => expect(patternProblem(pattern)).toContain(message))

test.each(['**/*.{ts,tsx}', '[a-z]*', '[]]', '[!a]', 'a..b/*', '../x', '\\[x', '[{]x'])(
  '%j can be searched for',
  (pattern) => expect(patternProblem(pattern)).toBeUndefined(),
)
