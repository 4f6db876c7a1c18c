import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPermissionContext, PERMISSION_MODES } from '../../contract/permission/context.js'
import type { PermissionUpdate, UpdateDestination } from '../../contract/permission/result.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { findUpdateRefusal } from '../merge/restrict-layers.js'
import { applyPermissionUpdate } from './apply-permission-update.js'

const INITIAL_CONTEXT = createPermissionContext({
  alwaysAllowRules: { cliArg: ['Glob'], userSettings: ['Read', 'Bash(ls)'] },
  alwaysDenyRules: { userSettings: ['WebFetch'] },
  additionalWorkingDirectories: [{ path: '/a', source: 'userSettings' }],
})

describe('applyPermissionUpdate', () => {
  test('with addRules adds new rules, in the order of the sources', () => {
    const contextAfter = applyPermissionUpdate(INITIAL_CONTEXT, {
      type: 'addRules',
      destination: 'localSettings',
      behavior: 'allow',
      rules: ['Edit', ' Edit ', 'Read'],
    })

    expect(Object.entries(contextAfter.alwaysAllowRules)).toEqual([
      ['cliArg', ['Glob']],
      ['localSettings', ['Edit', 'Read']],
      ['userSettings', ['Read', 'Bash(ls)']],
    ])
  })

  test('with replaceRules replaces only the list of its destination', () => {
    const contextAfter = applyPermissionUpdate(INITIAL_CONTEXT, {
      type: 'replaceRules',
      destination: 'userSettings',
      behavior: 'allow',
      rules: ['Edit'],
    })

    expect(contextAfter.alwaysAllowRules).toEqual({ cliArg: ['Glob'], userSettings: ['Edit'] })
  })

  test('with removeRules leaves no empty list behind', () => {
    const contextAfter = applyPermissionUpdate(INITIAL_CONTEXT, {
      type: 'removeRules',
      destination: 'userSettings',
      behavior: 'deny',
      rules: ['WebFetch'],
    })

    expect(contextAfter.alwaysDenyRules).toEqual({})
  })

  test('with setMode sets the mode', () => {
    expect(applyPermissionUpdate(INITIAL_CONTEXT, { type: 'setMode', destination: 'session', mode: 'plan' }).mode).toBe(
      'plan',
    )
  })

  test('adds and removes directories only for their destination', () => {
    const contextAfterAdding = applyPermissionUpdate(INITIAL_CONTEXT, {
      type: 'addDirectories',
      destination: 'session',
      directories: ['/a', '/b', '/b'],
    })
    expect(contextAfterAdding.additionalWorkingDirectories).toEqual([
      { path: '/a', source: 'userSettings' },
      { path: '/a', source: 'session' },
      { path: '/b', source: 'session' },
    ])

    const contextAfterRemoval = applyPermissionUpdate(contextAfterAdding, {
      type: 'removeDirectories',
      destination: 'session',
      directories: ['/a'],
    })
    expect(contextAfterRemoval.additionalWorkingDirectories).toEqual([
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
    const applyAndListPaths = (...updates: PermissionUpdate[]) =>
      updates
        .reduce((now, nextUpdate) => applyPermissionUpdate(now, nextUpdate, undefined, folders), context)
        .additionalWorkingDirectories.map(({ path }) => path)

    expect(applyAndListPaths(update('removeDirectories', 'projectSettings', '../shared'))).toEqual([
      '/place/project/shared',
      '/home/me/notes',
    ])
    expect(
      applyAndListPaths(
        update('removeDirectories', 'session', '../shared'),
        update('removeDirectories', 'userSettings', '~/notes'),
      ),
    ).toEqual(['/place/shared'])
    expect(
      applyAndListPaths(
        update('addDirectories', 'projectSettings', '../shared/'),
        update('addDirectories', 'session', '../new'),
      ),
    ).toEqual(['/place/shared', '/place/project/shared', '/home/me/notes', '/place/project/new'])
  })

  test('does not add an invalid rule to allow, but adds it to deny as written', () => {
    const invalidUpdate = { type: 'addRules', destination: 'session', rules: ['Bash(ls'] } as const

    expect(applyPermissionUpdate(INITIAL_CONTEXT, { ...invalidUpdate, behavior: 'allow' })).toBe(INITIAL_CONTEXT)
    expect(
      applyPermissionUpdate(INITIAL_CONTEXT, { ...invalidUpdate, behavior: 'deny' }).alwaysDenyRules.session,
    ).toEqual(['Bash(ls'])
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
    expect(findUpdateRefusal(update, restrictions) !== undefined).toBe(isRefused)
    expect(applyPermissionUpdate(INITIAL_CONTEXT, update, restrictions) === INITIAL_CONTEXT).toBe(isRefused)
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
  return updates.reduce((now, nextUpdate) => applyPermissionUpdate(now, nextUpdate), INITIAL_CONTEXT)
})

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}

test('an update returns a deeply frozen context that reuses the objects of all unchanged parts', () => {
  fc.assert(
    fc.property(context, update, (contextBefore, change) => {
      const contextCopy = structuredClone(contextBefore)

      const contextAfter = applyPermissionUpdate(contextBefore, change)

      expect(contextBefore).toEqual(contextCopy)
      expect(isDeeplyFrozen(contextAfter)).toBe(true)
      for (const key of Object.keys(contextBefore) as (keyof typeof contextBefore)[]) {
        const isEqual = JSON.stringify(contextAfter[key]) === JSON.stringify(contextBefore[key])
        expect(contextAfter[key] === contextBefore[key]).toBe(isEqual)
      }
      expect(contextAfter === contextBefore).toBe(JSON.stringify(contextAfter) === JSON.stringify(contextBefore))
      expect(applyPermissionUpdate(contextAfter, change)).toBe(contextAfter)
    }),
    createPropertyOptions(500),
  )
})

test('adding rules and directories and then removing them restores the previous context', () => {
  fc.assert(
    fc.property(context, destination, behavior, rule, directory, (contextBefore, to, as, addedRule, path) => {
      const key = { allow: 'alwaysAllowRules', deny: 'alwaysDenyRules', ask: 'alwaysAskRules' } as const
      const rules = { destination: to, behavior: as, rules: [addedRule] }
      const folders = { destination: to, directories: [path] }
      fc.pre(!contextBefore[key[as]][to]?.includes(addedRule))
      fc.pre(
        !contextBefore.additionalWorkingDirectories.some(
          (knownDirectory) => knownDirectory.source === to && knownDirectory.path === path,
        ),
      )

      let contextAfter = applyPermissionUpdate(contextBefore, { type: 'addRules', ...rules })
      contextAfter = applyPermissionUpdate(contextAfter, { type: 'addDirectories', ...folders })
      contextAfter = applyPermissionUpdate(contextAfter, { type: 'removeRules', ...rules })
      contextAfter = applyPermissionUpdate(contextAfter, { type: 'removeDirectories', ...folders })

      expect(contextAfter).toEqual(contextBefore)
      expect(JSON.stringify(contextAfter)).toBe(JSON.stringify(contextBefore))
    }),
    createPropertyOptions(500),
  )
})
