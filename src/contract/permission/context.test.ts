import { expect, test } from 'vitest'
import { createPermissionContext } from './context.js'

test('omitted parts of a permission context are empty, and its mode is default', () => {
  expect(createPermissionContext()).toEqual({
    mode: 'default',
    alwaysAllowRules: {},
    alwaysDenyRules: {},
    alwaysAskRules: {},
    additionalWorkingDirectories: [],
  })
})

test('a context is deeply immutable, even through the objects it was created from', () => {
  const rules = ['Bash']
  const context = createPermissionContext({ alwaysDenyRules: { session: rules } })

  rules.pop()

  expect(context.alwaysDenyRules.session).toEqual(['Bash'])
  expect(() => (context.alwaysDenyRules.session as string[]).pop()).toThrow(TypeError)
  expect(() => Object.assign(context, { mode: 'bypassPermissions' })).toThrow(TypeError)
})
