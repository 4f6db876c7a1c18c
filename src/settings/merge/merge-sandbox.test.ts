import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RULE_SOURCES, type RuleSource } from '../../contract/permission/context.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { readSettingsValue, type SettingsLayer } from '../read/read-settings.js'
import { mergeLayers } from './merge-layers.js'

function createLayer(source: RuleSource, sandbox: unknown, baseFolder = '/project'): SettingsLayer {
  const origin = { source, name: source }
  return { ...readSettingsValue({ sandbox }, origin), origin, base: baseFolder }
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
    createLayer('projectSettings', { allowWrite: ['out', '/var/cache/**'], denyRead: ['~/.ssh'] }),
    createLayer('userSettings', { allowWrite: ['.cache'], denyWrite: ['~'] }, '/home/me'),
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
    createLayer('policy', { enabled: true, allowUnsandboxed: false }),
    createLayer('userSettings', { enabled: false }),
  ]

  expect(merge(layers).sandbox).toMatchObject({ enabled: true, allowsUnsandboxed: false })
})

test('an untrusted project can only make the sandbox stricter', () => {
  fc.assert(
    fc.property(sandbox, sandbox, fc.constantFrom('localSettings', 'projectSettings'), (own, user, source) => {
      const sandboxOfUserOnly = merge([createLayer('userSettings', user, '/home/me')]).sandbox
      const sandboxWithProject = merge(
        [createLayer(source, own), createLayer('userSettings', user, '/home/me')],
        false,
      ).sandbox

      expect(sandboxWithProject.allowWrite).toEqual(sandboxOfUserOnly.allowWrite)
      expect(sandboxWithProject.allowedDomains).toEqual(sandboxOfUserOnly.allowedDomains)
      expect(sandboxWithProject.enabled === sandboxOfUserOnly.enabled || sandboxWithProject.enabled === true).toBe(true)
      expect(sandboxWithProject.isRequired || !sandboxOfUserOnly.isRequired).toBe(true)
      expect(sandboxOfUserOnly.allowsUnsandboxed || !sandboxWithProject.allowsUnsandboxed).toBe(true)
      expect(sandboxOfUserOnly.allowsUnixSockets || !sandboxWithProject.allowsUnixSockets).toBe(true)
      for (const list of ['denyRead', 'denyWrite'] as const) {
        expect(sandboxWithProject[list]).toEqual(expect.arrayContaining([...sandboxOfUserOnly[list]]))
        expect(sandboxWithProject[list].length >= sandboxOfUserOnly[list].length).toBe(true)
      }
    }),
    createPropertyOptions(),
  )
})

test('ignored settings of an untrusted project are reported', () => {
  const ownSandbox = { enabled: false, allowWrite: ['/'], allowedDomains: ['example.com'], denyRead: ['secrets'] }

  const { sandbox, withheld } = merge([createLayer('projectSettings', ownSandbox)], false)

  expect(sandbox).toMatchObject({ denyRead: ['/project/secrets'], allowWrite: [], allowedDomains: [] })
  expect(withheld[0]?.keys).toEqual(['sandbox.enabled', 'sandbox.allowWrite', 'sandbox.allowedDomains'])
})

test('a policy that allows only managed rules ignores less strict sandbox settings of other sources', () => {
  const origin = { source: 'policy', name: 'policy' } as const
  const policySettings = { allowManagedRulesOnly: true, sandbox: { allowedDomains: ['example.com'] } }
  const layers = [
    { ...readSettingsValue(policySettings, origin), origin, base: '/' },
    createLayer('userSettings', { allowWrite: ['/'], allowedDomains: ['example.org'], denyRead: ['/secret'] }),
  ]

  expect(merge(layers).sandbox).toMatchObject({
    allowWrite: [],
    allowedDomains: ['example.com'],
    denyRead: ['/secret'],
  })
})

test.each(['src/*.ts', '**', '/**', 'a?b', '*', 'a/**/b', ''])(
  'the path %j is rejected, and the settings count as incomplete if it was in a deny list',
  (writtenPath) => {
    const denyingSettings = merge([createLayer('userSettings', { denyRead: [writtenPath] })])
    const allowingSettings = merge([createLayer('userSettings', { allowWrite: [writtenPath] })])

    expect(denyingSettings.problems[0]?.message).toContain('sandbox.denyRead[0]: must be a path without wildcards')
    expect([denyingSettings.isComplete, allowingSettings.isComplete]).toEqual([false, true])
    expect(allowingSettings.sandbox.allowWrite).toEqual([])
  },
)

test.each(['https://example.com', 'example.com/path', 'example.com:80', 'exa*mple.com', ''])(
  'the domain %j is rejected',
  (writtenPath) => {
    expect(merge([createLayer('userSettings', { allowedDomains: [writtenPath] })]).sandbox.allowedDomains).toEqual([])
  },
)

test.each(['example.com', '*.example.com', '*', 'localhost', '10.0.0.1', '::1'])(
  'the domain %j is accepted',
  (writtenPath) => {
    expect(merge([createLayer('userSettings', { allowedDomains: [writtenPath] })]).sandbox.allowedDomains).toEqual([
      writtenPath,
    ])
  },
)

test('a misspelt sandbox key is reported with the correct one', () => {
  expect(merge([createLayer(RULE_SOURCES[0], { denyReed: [] })]).problems[0]?.message).toContain(
    'Did you mean denyRead?',
  )
})
