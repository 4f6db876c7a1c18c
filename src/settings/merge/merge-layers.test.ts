import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RULE_SOURCES, type RuleSource } from '../../contract/permission/context.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
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
  .map((layerList) => layerList.map((entry) => createLayer(entry.source, entry.settings)))

function createLayer(source: RuleSource, value: unknown): SettingsLayer {
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
          const layersOfSource = layerList.filter(({ origin }) => origin.source === source)
          const expectedRules = [
            ...new Set(layersOfSource.flatMap(({ settings }) => settings.permissions?.[list] ?? [])),
          ]
          expect(permissionContext[lists[list]][source] ?? []).toEqual(expectedRules)
        }
      }
    }),
    createPropertyOptions(),
  )
})

test('a single value comes from the first layer that sets it', () => {
  fc.assert(
    fc.property(layers, (layerList) => {
      const mergedSettings = mergeLayers(layerList, { isTrusted: true, home: '/home' })

      const pickFirst = <T>(selectValue: (layer: SettingsLayer) => T | undefined) =>
        layerList.map(selectValue).find((value) => value !== undefined)
      expect(mergedSettings.model).toBe(pickFirst(({ settings }) => settings.model))
      expect(mergedSettings.permissionContext.mode).toBe(
        pickFirst(({ settings }) => settings.permissions?.defaultMode) ?? 'default',
      )
      for (const name of ['X', 'Y'])
        expect(mergedSettings.env[name]).toBe(pickFirst(({ settings }) => settings.env?.[name]))
    }),
    createPropertyOptions(),
  )
})

test('an untrusted project adds only deny and ask rules', () => {
  fc.assert(
    fc.property(layers, (layerList) => {
      const untrustedSettings = mergeLayers(layerList, { isTrusted: false, home: '/home' })
      const settingsWithoutProject = mergeLayers(
        layerList.filter((candidate) => !isFromProject(candidate)),
        { isTrusted: false, home: '/home' },
      )

      const { alwaysDenyRules, alwaysAskRules, ...otherFields } = settingsWithoutProject.permissionContext
      expect(untrustedSettings.permissionContext).toEqual({
        ...otherFields,
        alwaysDenyRules: { ...alwaysDenyRules, ...rulesOfProject(untrustedSettings.permissionContext.alwaysDenyRules) },
        alwaysAskRules: { ...alwaysAskRules, ...rulesOfProject(untrustedSettings.permissionContext.alwaysAskRules) },
      })
      const { hooks, env, model } = settingsWithoutProject
      expect({ hooks: untrustedSettings.hooks, env: untrustedSettings.env, model: untrustedSettings.model }).toEqual({
        hooks,
        env,
        model,
      })
    }),
    createPropertyOptions(),
  )
})

function rulesOfProject(rulesBySource: object): object {
  return Object.fromEntries(
    Object.entries(rulesBySource).filter(([source]) => source.startsWith('local') || source.startsWith('project')),
  )
}

test.each(['fsync', 'maskSecrets'] as const)('an untrusted project can switch %s on, but not off', (key) => {
  const merge = (project: object, user: object) =>
    mergeLayers([createLayer('projectSettings', project), createLayer('userSettings', user)], {
      isTrusted: false,
      home: '/home',
    })

  expect(merge({ [key]: true }, {})).toMatchObject({ [key]: true, withheld: [] })
  expect(merge({ [key]: true }, { [key]: false })).toMatchObject({ [key]: true })
  expect(merge({ [key]: false }, { [key]: true })).toMatchObject({ [key]: true, withheld: [{ keys: [key] }] })
})

test('the user decides how long sessions are kept, not the project', () => {
  const project = createLayer('projectSettings', { cleanupPeriodDays: 1 })
  const userLayer = createLayer('userSettings', { cleanupPeriodDays: 90 })
  const merge = (...layerList: readonly SettingsLayer[]) => mergeLayers(layerList, { isTrusted: true, home: '/home' })

  expect(merge(project, userLayer).cleanupPeriodDays).toBe(90)
  expect(merge(project).cleanupPeriodDays).toBeUndefined()
})
