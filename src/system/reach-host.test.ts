import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { classifyAddress, judgeDomain, reachHost } from './reach-host.js'

describe('a host name', () => {
  test.each([
    ['example.com', ['example.com'], 'named'],
    ['EXAMPLE.com.', ['example.COM'], 'named'],
    ['sub.example.com', ['example.com'], 'refused'],
    ['sub.example.com', ['*.example.com'], 'public'],
    ['a.b.example.com', ['*.example.com'], 'public'],
    ['example.com', ['*.example.com'], 'refused'],
    ['badexample.com', ['*.example.com', 'example.com'], 'refused'],
    ['example.com.evil.test', ['*.example.com', 'example.com'], 'refused'],
    ['anything.test', ['*'], 'public'],
    ['bücher.example', ['xn--bcher-kva.example'], 'named'],
    ['2130706433', ['127.0.0.1'], 'named'],
    ['[::1]', ['::1'], 'named'],
    ['example.com', [], 'refused'],
    ['', ['*.example.com'], 'refused'],
  ] as const)('%j judged by the allowed domains %j is %s', (host, allowedDomains, verdict) => {
    expect(judgeDomain(host, allowedDomains)).toBe(verdict)
  })

  test('is refused if it only contains an allowed domain', () => {
    const label = fc.stringMatching(/^[a-z]{1,8}$/)
    fc.assert(
      fc.property(label, label, (before, other) => {
        expect(judgeDomain(`${before}example.com`, ['example.com', '*.example.com'])).toBe('refused')
        expect(judgeDomain(`example.com.${other}`, ['example.com', '*.example.com'])).toBe('refused')
      }),
      createPropertyOptions(),
    )
  })
})

test.each([
  ['93.184.215.14', 'public'],
  ['2606:2800:21f::1', 'public'],
  ['127.0.0.1', 'private'],
  ['127.255.0.9', 'private'],
  ['0.0.0.0', 'private'],
  ['10.1.2.3', 'private'],
  ['172.31.0.1', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['::1', 'private'],
  ['::', 'private'],
  ['fd12::1', 'private'],
  ['::ffff:127.0.0.1', 'private'],
  ['::ffff:7f00:1', 'private'],
  ['::ffff:169.254.169.254', 'link-local'],
  ['64:ff9b::7f00:1', 'private'],
  ['64:ff9b::a9fe:a9fe', 'link-local'],
  ['64:ff9b::5db8:d70e', 'public'],
  ['::ffff:0:7f00:1', 'private'],
  ['2002:7f00:1::', 'private'],
  ['ff02::1', 'private'],
  ['198.51.100.7', 'private'],
  ['169.254.169.254', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['fd00:ec2::254', 'link-local'],
  ['not an address', 'link-local'],
] as const)('the address %s is classified as %s', (address, kind) => {
  expect(classifyAddress(address)).toBe(kind)
})

describe('a host', () => {
  const createLookupTo =
    (...addresses: readonly string[]) =>
    async () =>
      addresses
  const isReached = async (host: string, allowedDomains: readonly string[], lookUp = createLookupTo()) =>
    (await reachHost(host, allowedDomains, lookUp)).isAllowed

  test('is reached only at its public addresses if a wildcard allows it', async () => {
    expect(await reachHost('a.test', ['*.test'], createLookupTo('10.0.0.1', '93.184.215.14'))).toEqual({
      isAllowed: true,
      addresses: ['93.184.215.14'],
    })
    expect(await reachHost('a.test', ['*'], createLookupTo('127.0.0.1'))).toMatchObject({
      isAllowed: false,
      reason: 'address',
    })
  })

  test('is reached at a local address if it is listed without a wildcard, but not at the metadata address of clouds', async () => {
    expect(await isReached('a.test', ['a.test'], createLookupTo('10.0.0.1'))).toBe(true)
    expect(await isReached('a.test', ['a.test'], createLookupTo('169.254.169.254'))).toBe(false)
    expect(await isReached('169.254.169.254', ['169.254.169.254'])).toBe(true)
    expect(await isReached('169.254.169.254', ['*'])).toBe(false)
    expect(await isReached('127.1', ['*'])).toBe(false)
  })

  test('is not looked up unless its domain is allowed', async () => {
    const lookUp = () => Promise.reject(new Error('unexpected lookup'))

    expect(await reachHost('a.test', ['b.test'], lookUp)).toMatchObject({ reason: 'domain' })
    expect(await reachHost('b.test', ['b.test'], lookUp)).toMatchObject({ reason: 'unknown' })
  })
})
