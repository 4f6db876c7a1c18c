import { expect, test } from 'vitest'
import { isAllowedByRobots } from './robots.js'

test.each([
  ['', '/a', true],
  ['User-agent: *\nDisallow: /', '/a', false],
  ['User-agent: *\nDisallow:', '/a', true],
  ['User-agent: other\nDisallow: /', '/a', true],
  ['User-agent: other\nUser-agent: *\nDisallow: /a', '/ab', false],
  ['User-agent: *\nDisallow: /\n\nUser-agent: HAFT\nDisallow: /x', '/a', true],
  ['User-agent: haft\nDisallow: /x\nUser-agent: *\nAllow: /\nUser-agent: haft\nDisallow: /y', '/y', false],
  ['User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
  ['User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
  ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf', false],
  ['User-agent: *\nDisallow: /*.pdf$', '/x/y.pdf?a', true],
  ['User-agent: *\nDisallow: /a*b*c', '/a1b2c3', false],
  ['User-agent: *\nDisallow: /a*b*c', '/a1c2b', true],
  ['User-agent: *\nDisallow: /a$', '/ab', true],
  ['user-AGENT : *\r\ndisallow : /a # comment', '/a', false],
  ['Disallow: /', '/a', true],
])('robots.txt %j: the path %j is allowed: %s', (text, path, isAllowed) => {
  expect(isAllowedByRobots(text, path)).toBe(isAllowed)
})

test('a pattern with many wildcards is compared quickly', () => {
  const text = `User-agent: *\nDisallow: /${'*a'.repeat(10_000)}b`

  expect(isAllowedByRobots(text, `/${'a'.repeat(20_000)}`)).toBe(true)
})
