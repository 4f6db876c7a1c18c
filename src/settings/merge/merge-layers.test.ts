import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RULE_SOURCES, type RuleSource } from '../../contract/permission/context.js'
import { propertyRuns } from '../../testing/property-runs.js'
import { readSettingsValue, type SettingsLayer } from '../read/read-settings.js'
import { mergeLayers } from './merge-layers.js'

const rule = fc.constantFrom('Read', 'Edit', 'Bash(ls)', 'Bash(rm:*)', 'Glob')
const rules = fc.array(rule, { maxLength: 4 })
const settings = fc.record(
  {
    permissions: fc.record(
      { allow: rules, deny: rules, ask: rules, defaultMode: fc.constantFrom('plan', 'acceptEdits', 'dontAsk') },
      { requiredKeys: [] },
    ),
    model: fc.constantFrom('a', 'b'),
    env: fc.dictionary(fc.constantFrom('X', 'Y'), fc.constantFrom('1', '2')),
    hooks: fc.constant({ Stop: [] }),
  },
  { requiredKeys: [] },
)
const layers = fc
  .array(fc.record({ source: fc.constantFrom(...RULE_SOURCES), settings }), { maxLength: 12 })
  .map((layerList) => layerList.toSorted((a, b) => RULE_SOURCES.indexOf(a.source) - RULE_SOURCES.indexOf(b.source)))
  .map((layerList) => layerList.map((entry) => layer(entry.source, entry.settings)))

function layer(source: RuleSource, value: unknown): SettingsLayer {
  const origin = { source, name: source }
  return { ...readSettingsValue(value, origin), origin, base: '/work' }
}

const isFromProject = ({ origin }: SettingsLayer) => ['localSettings', 'projectSettings'].includes(origin.source)

test('every rule of every layer applies once under its source, and no other rule does', () => {
  fc.assert(
    fc.property(layers, (layerList) => {
      const { permissionContext } = mergeLayers(layerList, { isTrusted: true, home: '/home' })

      const lists = { allow: 'alwaysAllowRules', deny: 'alwaysDenyRules', ask: 'alwaysAskRules' } as const
      for (const list of ['allow', 'deny', 'ask'] as const) {
        for (const source of RULE_SOURCES) {
          const own = layerList.filter(({ origin }) => origin.source === source)
          const expectedRules = [...new Set(own.flatMap(({ settings }) => settings.permissions?.[list] ?? []))]
          expect(permissionContext[lists[list]][source] ?? []).toEqual(expectedRules)
        }
      }
    }),
    propertyRuns(),
  )
})

test('a single value comes from the first layer that sets it', () => {
  fc.assert(
    fc.property(layers, (layerList) => {
      const merged = mergeLayers(layerList, { isTrusted: true, home: '/home' })

      const first = <T>(pick: (layer: SettingsLayer) => T | undefined) =>
        layerList.map(pick).find((value) => value !== undefined)
      expect(merged.model).toBe(first(({ settings }) => settings.model))
      expect(merged.permissionContext.mode).toBe(
        first(({ settings }) => settings.permissions?.defaultMode) ?? 'default',
      )
      for (const name of ['X', 'Y']) expect(merged.env[name]).toBe(first(({ settings }) => settings.env?.[name]))
    }),
    propertyRuns(),
  )
})

test('an untrusted project adds only deny and ask rules', () => {
  fc.assert(
    fc.property(layers, (layerList) => {
      const untrusted = mergeLayers(layerList, { isTrusted: false, home: '/home' })
      const withoutProject = mergeLayers(
        layerList.filter((candidate) => !isFromProject(candidate)),
        { isTrusted: false, home: '/home' },
      )

      const { alwaysDenyRules, alwaysAskRules, ...rest } = withoutProject.permissionContext
      expect(untrusted.permissionContext).toEqual({
        ...rest,
        alwaysDenyRules: { ...alwaysDenyRules, ...rulesOfProject(untrusted.permissionContext.alwaysDenyRules) },
        alwaysAskRules: { ...alwaysAskRules, ...rulesOfProject(untrusted.permissionContext.alwaysAskRules) },
      })
      const { hooks, env, model } = withoutProject
      expect({ hooks: untrusted.hooks, env: untrusted.env, model: untrusted.model }).toEqual({ hooks, env, model })
    }),
    propertyRuns(),
  )
})

function rulesOfProject(rulesBySource: object): object {
  return Object.fromEntries(
    Object.entries(rulesBySource).filter(([source]) => source.startsWith('local') || source.startsWith('project')),
  )
}

test('the user decides how long sessions are kept, not the project', () => {
  const project = layer('projectSettings', { cleanupPeriodDays: 1 })
  const user = layer('userSettings', { cleanupPeriodDays: 90 })
  const merge = (...layerList: readonly SettingsLayer[]) => mergeLayers(layerList, { isTrusted: true, home: '/home' })

  expect(merge(project, user).cleanupPeriodDays).toBe(90)
  expect(merge(project).cleanupPeriodDays).toBeUndefined()
})
