import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RULE_SOURCES, type RuleSource } from '../../contract/permission/context.js'
import { propertyRuns } from '../../testing/property-runs.js'
import { readSettingsValue, type SettingsLayer } from '../read/read-settings.js'
import { mergeLayers } from './merge-layers.js'

function layer(source: RuleSource, sandbox: unknown, base = '/project'): SettingsLayer {
  const origin = { source, name: source }
  return { ...readSettingsValue({ sandbox }, origin), origin, base }
}

function merge(layers: readonly SettingsLayer[], isTrusted = true) {
  return mergeLayers(layers, { isTrusted, home: '/home/me' })
}

const path = fc.constantFrom('a', '~/b', '/c', 'd/**')
const sandbox = fc.record(
  {
    enabled: fc.boolean(),
    required: fc.boolean(),
    allowUnsandboxed: fc.boolean(),
    allowUnixSockets: fc.boolean(),
    allowWrite: fc.array(path),
    denyWrite: fc.array(path),
    denyRead: fc.array(path),
    allowedDomains: fc.array(fc.constantFrom('example.com', '*.example.org')),
  },
  { requiredKeys: [] },
)

test('paths are resolved against home or the folder of their file, and folder/** means the folder', () => {
  const layers = [
    layer('projectSettings', { allowWrite: ['out', '/var/cache/**'], denyRead: ['~/.ssh'] }),
    layer('userSettings', { allowWrite: ['.cache'], denyWrite: ['~'] }, '/home/me'),
  ]

  expect(merge(layers).sandbox).toEqual({
    isRequired: false,
    allowsUnsandboxed: true,
    allowsUnixSockets: false,
    allowWrite: ['/project/out', '/var/cache', '/home/me/.cache'],
    allowRead: [],
    denyRead: ['/home/me/.ssh'],
    denyWrite: ['/home/me'],
    allowedDomains: [],
  })
})

test('a single value comes from the highest source, so the policy can enforce it', () => {
  const layers = [
    layer('policy', { enabled: true, allowUnsandboxed: false }),
    layer('userSettings', { enabled: false }),
  ]

  expect(merge(layers).sandbox).toMatchObject({ enabled: true, allowsUnsandboxed: false })
})

test('an untrusted project can only make the sandbox stricter', () => {
  fc.assert(
    fc.property(sandbox, sandbox, fc.constantFrom('localSettings', 'projectSettings'), (own, user, source) => {
      const userOnly = merge([layer('userSettings', user, '/home/me')]).sandbox
      const withProject = merge([layer(source, own), layer('userSettings', user, '/home/me')], false).sandbox

      expect(withProject.allowWrite).toEqual(userOnly.allowWrite)
      expect(withProject.allowedDomains).toEqual(userOnly.allowedDomains)
      expect(withProject.enabled === userOnly.enabled || withProject.enabled === true).toBe(true)
      expect(withProject.isRequired || !userOnly.isRequired).toBe(true)
      expect(userOnly.allowsUnsandboxed || !withProject.allowsUnsandboxed).toBe(true)
      expect(userOnly.allowsUnixSockets || !withProject.allowsUnixSockets).toBe(true)
      for (const list of ['denyRead', 'denyWrite'] as const) {
        expect(withProject[list]).toEqual(expect.arrayContaining([...userOnly[list]]))
        expect(withProject[list].length >= userOnly[list].length).toBe(true)
      }
    }),
    propertyRuns(),
  )
})

test('ignored settings of an untrusted project are reported', () => {
  const own = { enabled: false, allowWrite: ['/'], allowedDomains: ['example.com'], denyRead: ['secrets'] }

  const { sandbox, withheld } = merge([layer('projectSettings', own)], false)

  expect(sandbox).toMatchObject({ denyRead: ['/project/secrets'], allowWrite: [], allowedDomains: [] })
  expect(withheld[0]?.keys).toEqual(['sandbox.enabled', 'sandbox.allowWrite', 'sandbox.allowedDomains'])
})

test('a policy that allows only managed rules ignores less strict sandbox settings of other sources', () => {
  const origin = { source: 'policy', name: 'policy' } as const
  const policy = { allowManagedRulesOnly: true, sandbox: { allowedDomains: ['example.com'] } }
  const layers = [
    { ...readSettingsValue(policy, origin), origin, base: '/' },
    layer('userSettings', { allowWrite: ['/'], allowedDomains: ['example.org'], denyRead: ['/secret'] }),
  ]

  expect(merge(layers).sandbox).toMatchObject({
    allowWrite: [],
    allowedDomains: ['example.com'],
    denyRead: ['/secret'],
  })
})

test.each(['src/*.ts', '**', '/**', 'a?b', '*', 'a/**/b', ''])(
  'the path %j is rejected, and the settings count as incomplete if it was in a deny list',
  (written) => {
    const denying = merge([layer('userSettings', { denyRead: [written] })])
    const allowing = merge([layer('userSettings', { allowWrite: [written] })])

    expect(denying.problems[0]?.message).toContain('sandbox.denyRead[0]: must be a path without wildcards')
    expect([denying.isComplete, allowing.isComplete]).toEqual([false, true])
    expect(allowing.sandbox.allowWrite).toEqual([])
  },
)

test.each(['https://example.com', 'example.com/path', 'example.com:80', 'exa*mple.com', ''])(
  'the domain %j is rejected',
  (written) => {
    expect(merge([layer('userSettings', { allowedDomains: [written] })]).sandbox.allowedDomains).toEqual([])
  },
)

test.each(['example.com', '*.example.com', '*', 'localhost', '10.0.0.1', '::1'])(
  'the domain %j is accepted',
  (written) => {
    expect(merge([layer('userSettings', { allowedDomains: [written] })]).sandbox.allowedDomains).toEqual([written])
  },
)

test('a misspelt sandbox key is reported with the correct one', () => {
  expect(merge([layer(RULE_SOURCES[0], { denyReed: [] })]).problems[0]?.message).toContain('Did you mean denyRead?')
})
