import { describe, expect, test } from 'vitest'
import { domainMayMatch, hostOf, isDomainCovered, parseDomainPattern } from './domain-pattern.js'

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
    expect(isDomainCovered(parseDomainPattern(content) ?? 'unread', url)).toBe(expected)
  })

  test('that denies or asks also covers the host behind "*.", and may match an invalid URL', () => {
    expect(domainMayMatch('*.example.com', 'https://example.com')).toBe('yes')
    expect(domainMayMatch('example.com', 'ftp://example.com')).toBe('yes')
    expect(domainMayMatch('example.com', 'http://')).toBe('maybe')
    expect(domainMayMatch('example.com', 'https://other.org')).toBe('no')
  })

  test('is invalid if its pattern is not just a host', () => {
    const contents = ['example.com', 'domain:', 'domain:a b', 'domain:x/y', 'domain:a.*.b', 'domain:a@b']
    expect(contents.map(parseDomainPattern)).toEqual(contents.map(() => undefined))
  })
})

test('hostOf returns undefined for a URL without a host', () => {
  expect(hostOf('data:text/plain,x')).toBeUndefined()
})
