import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPermissionContext, PERMISSION_MODES } from '../../contract/permission/context.js'
import type { PermissionUpdate, UpdateDestination } from '../../contract/permission/result.js'
import { propertyRuns } from '../../testing/property-runs.js'
import { updateRefusal } from '../merge/restrict-layers.js'
import { applyPermissionUpdate } from './apply-permission-update.js'

const BEFORE = createPermissionContext({
  alwaysAllowRules: { cliArg: ['Glob'], userSettings: ['Read', 'Bash(ls)'] },
  alwaysDenyRules: { userSettings: ['WebFetch'] },
  additionalWorkingDirectories: [{ path: '/a', source: 'userSettings' }],
})

describe('applyPermissionUpdate', () => {
  test('with addRules adds new rules, in the order of the sources', () => {
    const after = applyPermissionUpdate(BEFORE, {
      type: 'addRules',
      destination: 'localSettings',
      behavior: 'allow',
      rules: ['Edit', ' Edit ', 'Read'],
    })

    expect(Object.entries(after.alwaysAllowRules)).toEqual([
      ['cliArg', ['Glob']],
      ['localSettings', ['Edit', 'Read']],
      ['userSettings', ['Read', 'Bash(ls)']],
    ])
  })

  test('with replaceRules replaces only the list of its destination', () => {
    const after = applyPermissionUpdate(BEFORE, {
      type: 'replaceRules',
      destination: 'userSettings',
      behavior: 'allow',
      rules: ['Edit'],
    })

    expect(after.alwaysAllowRules).toEqual({ cliArg: ['Glob'], userSettings: ['Edit'] })
  })

  test('with removeRules leaves no empty list behind', () => {
    const after = applyPermissionUpdate(BEFORE, {
      type: 'removeRules',
      destination: 'userSettings',
      behavior: 'deny',
      rules: ['WebFetch'],
    })

    expect(after.alwaysDenyRules).toEqual({})
  })

  test('with setMode sets the mode', () => {
    expect(applyPermissionUpdate(BEFORE, { type: 'setMode', destination: 'session', mode: 'plan' }).mode).toBe('plan')
  })

  test('adds and removes directories only for their destination', () => {
    const added = applyPermissionUpdate(BEFORE, {
      type: 'addDirectories',
      destination: 'session',
      directories: ['/a', '/b', '/b'],
    })
    expect(added.additionalWorkingDirectories).toEqual([
      { path: '/a', source: 'userSettings' },
      { path: '/a', source: 'session' },
      { path: '/b', source: 'session' },
    ])

    const removed = applyPermissionUpdate(added, {
      type: 'removeDirectories',
      destination: 'session',
      directories: ['/a'],
    })
    expect(removed.additionalWorkingDirectories).toEqual([
      { path: '/a', source: 'userSettings' },
      { path: '/b', source: 'session' },
    ])
  })

  test('compares directories by absolute path', () => {
    const folders = { cwd: '/place/project/src', projectRoot: '/place/project', home: '/home/me' }
    const update = (type: 'addDirectories' | 'removeDirectories', destination: UpdateDestination, path: string) =>
      ({ type, destination, directories: [path] }) as const
    const context = createPermissionContext({
      additionalWorkingDirectories: [
        { path: '/place/shared', source: 'projectSettings' },
        { path: '/place/project/shared', source: 'session' },
        { path: '/home/me/notes', source: 'userSettings' },
      ],
    })
    const pathsAfter = (...updates: PermissionUpdate[]) =>
      updates
        .reduce((now, next) => applyPermissionUpdate(now, next, undefined, folders), context)
        .additionalWorkingDirectories.map(({ path }) => path)

    expect(pathsAfter(update('removeDirectories', 'projectSettings', '../shared'))).toEqual([
      '/place/project/shared',
      '/home/me/notes',
    ])
    expect(
      pathsAfter(
        update('removeDirectories', 'session', '../shared'),
        update('removeDirectories', 'userSettings', '~/notes'),
      ),
    ).toEqual(['/place/shared'])
    expect(
      pathsAfter(
        update('addDirectories', 'projectSettings', '../shared/'),
        update('addDirectories', 'session', '../new'),
      ),
    ).toEqual(['/place/shared', '/place/project/shared', '/home/me/notes', '/place/project/new'])
  })

  test('does not add an invalid rule to allow, but adds it to deny as written', () => {
    const invalidUpdate = { type: 'addRules', destination: 'session', rules: ['Bash(ls'] } as const

    expect(applyPermissionUpdate(BEFORE, { ...invalidUpdate, behavior: 'allow' })).toBe(BEFORE)
    expect(applyPermissionUpdate(BEFORE, { ...invalidUpdate, behavior: 'deny' }).alwaysDenyRules.session).toEqual([
      'Bash(ls',
    ])
  })
})

describe('under a restrictive policy, the update', () => {
  const restrictions = { managedRulesOnly: true, forbiddenModes: ['bypassPermissions'] } as const
  const rules = { destination: 'session', behavior: 'allow', rules: ['Edit'] } as const
  const cases: readonly [PermissionUpdate, boolean][] = [
    [{ type: 'addRules', ...rules }, true],
    [{ type: 'replaceRules', ...rules }, true],
    [{ type: 'removeRules', ...rules, destination: 'userSettings', rules: ['Read'] }, false],
    [{ type: 'addRules', ...rules, behavior: 'deny' }, false],
    [{ type: 'setMode', destination: 'session', mode: 'bypassPermissions' }, true],
    [{ type: 'setMode', destination: 'session', mode: 'plan' }, false],
    [{ type: 'addDirectories', destination: 'session', directories: ['/x'] }, true],
    [{ type: 'removeDirectories', destination: 'userSettings', directories: ['/a'] }, false],
  ]

  test.each(cases)('%j is refused: %s', (update, isRefused) => {
    expect(updateRefusal(update, restrictions) !== undefined).toBe(isRefused)
    expect(applyPermissionUpdate(BEFORE, update, restrictions) === BEFORE).toBe(isRefused)
  })
})

const rule = fc.constantFrom('Read', 'Edit', 'Bash(ls)', 'Bash(rm:*)', 'mcp__x', 'WebFetch(domain:a.b)')
const destination = fc.constantFrom<UpdateDestination>('session', 'localSettings', 'projectSettings', 'userSettings')
const directory = fc.constantFrom('/a', '/b', '/c/d')
const behavior = fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const)
const update: fc.Arbitrary<PermissionUpdate> = fc.oneof(
  fc.record({
    type: fc.constantFrom('addRules' as const, 'replaceRules' as const, 'removeRules' as const),
    destination,
    behavior,
    rules: fc.array(rule),
  }),
  fc.record({ type: fc.constant('setMode' as const), destination, mode: fc.constantFrom(...PERMISSION_MODES) }),
  fc.record({
    type: fc.constantFrom('addDirectories' as const, 'removeDirectories' as const),
    destination,
    directories: fc.array(directory),
  }),
)
const context = fc.array(update).map((updates) => {
  return updates.reduce((now, next) => applyPermissionUpdate(now, next), BEFORE)
})

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}

test('an update returns a deeply frozen context that reuses the objects of all unchanged parts', () => {
  fc.assert(
    fc.property(context, update, (before, change) => {
      const copy = structuredClone(before)

      const after = applyPermissionUpdate(before, change)

      expect(before).toEqual(copy)
      expect(isDeeplyFrozen(after)).toBe(true)
      for (const key of Object.keys(before) as (keyof typeof before)[]) {
        const isEqual = JSON.stringify(after[key]) === JSON.stringify(before[key])
        expect(after[key] === before[key]).toBe(isEqual)
      }
      expect(after === before).toBe(JSON.stringify(after) === JSON.stringify(before))
      expect(applyPermissionUpdate(after, change)).toBe(after)
    }),
    propertyRuns(500),
  )
})

test('adding rules and directories and then removing them restores the previous context', () => {
  fc.assert(
    fc.property(context, destination, behavior, rule, directory, (before, to, as, added, path) => {
      const key = { allow: 'alwaysAllowRules', deny: 'alwaysDenyRules', ask: 'alwaysAskRules' } as const
      const rules = { destination: to, behavior: as, rules: [added] }
      const folders = { destination: to, directories: [path] }
      fc.pre(!before[key[as]][to]?.includes(added))
      fc.pre(!before.additionalWorkingDirectories.some((known) => known.source === to && known.path === path))

      let after = applyPermissionUpdate(before, { type: 'addRules', ...rules })
      after = applyPermissionUpdate(after, { type: 'addDirectories', ...folders })
      after = applyPermissionUpdate(after, { type: 'removeRules', ...rules })
      after = applyPermissionUpdate(after, { type: 'removeDirectories', ...folders })

      expect(after).toEqual(before)
      expect(JSON.stringify(after)).toBe(JSON.stringify(before))
    }),
    propertyRuns(500),
  )
})
