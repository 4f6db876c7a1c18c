import { expect, test } from 'vitest'
import { parsePathPattern } from './path-pattern.js'

test('the prefix of a path rule determines the folder that the rule starts from', () => {
  const patternStarts = [
    'src/**',
    './src/**',
    '/docs/**',
    '~/.zshrc',
    '~',
    '//etc/**',
    'C:\\data\\x',
    '../other/*.md',
  ].map((content) => {
    const parsedPattern = parsePathPattern(content)
    return 'pattern' in parsedPattern
      ? [parsedPattern.pattern.base, parsedPattern.pattern.parentCount, parsedPattern.pattern.literalNames.join('/')]
      : parsedPattern
  })

  expect(patternStarts).toEqual([
    ['start', 0, 'src'],
    ['start', 0, 'src'],
    ['project', 0, 'docs'],
    ['home', 0, '.zshrc'],
    ['home', 0, ''],
    ['root', 0, 'etc'],
    ['root', 0, 'C:/data/x'],
    ['start', 1, 'other'],
  ])
})

test('a path pattern matches at any depth only if it is a name without a slash at the start or inside', () => {
  const floatingContents = ['.env', '*.pem', 'secrets/', './.env', '/.env', 'a/b', '~/.env', '//x', '../x'].filter(
    (content) => {
      const parsedPattern = parsePathPattern(content)
      return 'pattern' in parsedPattern && parsedPattern.pattern.isFloating
    },
  )

  expect(floatingContents).toEqual(['.env', '*.pem', 'secrets/'])
})

test('an unsupported path pattern is reported with the reason', () => {
  expect(parsePathPattern('!src/**')).toEqual({ problem: 'a pattern that starts with "!" is not supported' })
  expect(parsePathPattern('src/*/../x')).toEqual({ problem: '".." after a wildcard is not supported' })
  expect(parsePathPattern('a\0b')).toEqual({ problem: 'a path cannot contain a NUL character' })
})

test('"." and ".." between literal names of a path pattern are resolved', () => {
  expect(parsePathPattern('a/../b/./c')).toEqual(parsePathPattern('b/c'))
})
