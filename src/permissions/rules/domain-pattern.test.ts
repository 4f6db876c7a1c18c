import { describe, expect, test } from 'vitest'
import {
  type DomainPattern,
  domainMayMatch,
  formatDomainPattern,
  hostOf,
  isDomainCovered,
  parseDomainPattern,
} from './domain-pattern.js'

function parse(content: string): DomainPattern {
  const pattern = parseDomainPattern(content)
  if (pattern === undefined) throw new Error(`${content} is not a domain rule`)
  return pattern
}

describe('a domain rule', () => {
  test.each([
    ['domain:example.com', 'https://example.com/x', true],
    ['domain:example.com', 'https://EXAMPLE.com./x', true],
    ['domain:Example.COM', 'http://example.com:8080', true],
    ['domain:example.com', 'https://sub.example.com', false],
    ['domain:example.com', 'https://example.com.evil.org', false],
    ['domain:example.com', 'https://example.com@evil.org', false],
    ['domain:example.com', 'https://evil.org/example.com', false],
    ['domain:example.com', 'https://evilexample.com', false],
    ['domain:*.example.com', 'https://a.b.example.com', true],
    ['domain:*.example.com', 'https://evilexample.com', false],
    ['domain:münchen.de', 'https://xn--mnchen-3ya.de', true],
    ['domain:*', 'https://any.where', true],
    ['domain:example.com', 'ftp://example.com', false],
    ['domain:example.com', 'file://example.com/etc', false],
    ['domain:example.com', 'not an address', false],
  ])('%s allows %s: %s', (content, url, expected) => {
    expect(isDomainCovered(parse(content), { url })).toBe(expected)
  })

  test('that denies or asks also covers the host behind "*.", and may match an invalid URL', () => {
    expect(domainMayMatch(parse('domain:*.example.com'), { url: 'https://example.com' })).toBe('yes')
    expect(domainMayMatch(parse('domain:example.com'), { url: 'ftp://example.com' })).toBe('yes')
    expect(domainMayMatch(parse('domain:example.com'), { url: 'http://' })).toBe('maybe')
    expect(domainMayMatch(parse('domain:example.com'), { url: 'https://other.org' })).toBe('no')
  })

  test('allows an action that needs a rule of its own only if it names the action', () => {
    const page = { url: 'https://example.com/x', action: 'evaluate' }

    expect(isDomainCovered(parse('domain:example.com'), page)).toBe(false)
    expect(isDomainCovered(parse('upload:domain:example.com'), page)).toBe(false)
    expect(isDomainCovered(parse('evaluate:domain:example.com'), page)).toBe(true)
    expect(isDomainCovered(parse('evaluate:domain:example.com'), { url: page.url })).toBe(false)
    expect(formatDomainPattern(page)).toBe('evaluate:domain:example.com')
  })

  test('that denies covers all actions, unless it names one', () => {
    const page = { url: 'https://example.com/x', action: 'evaluate' }

    expect(domainMayMatch(parse('domain:example.com'), page)).toBe('yes')
    expect(domainMayMatch(parse('evaluate:domain:example.com'), page)).toBe('yes')
    expect(domainMayMatch(parse('upload:domain:example.com'), page)).toBe('no')
  })

  test('is invalid if its pattern is not just a host', () => {
    const contents = ['example.com', 'domain:', 'domain:a b', 'domain:x/y', 'domain:a.*.b', 'domain:a@b']
    expect(contents.map(parseDomainPattern)).toEqual(contents.map(() => undefined))
  })
})

test('hostOf returns undefined for a URL without a host', () => {
  expect(hostOf('data:text/plain,x')).toBeUndefined()
})
