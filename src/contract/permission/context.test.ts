import { expect, test } from 'vitest'
import { createPermissionContext } from './context.js'

test('what is left out is empty, and the mode is default', () => {
  expect(createPermissionContext()).toEqual({
    mode: 'default',
    alwaysAllowRules: {},
    alwaysDenyRules: {},
    alwaysAskRules: {},
    additionalWorkingDirectories: [],
  })
})

test('nothing in it can be changed, not even through what it was made of', () => {
  const rules = ['Bash']
  const context = createPermissionContext({ alwaysDenyRules: { session: rules } })

  rules.pop()

  expect(context.alwaysDenyRules.session).toEqual(['Bash'])
  expect(() => (context.alwaysDenyRules.session as string[]).pop()).toThrow(TypeError)
  expect(() => Object.assign(context, { mode: 'bypassPermissions' })).toThrow(TypeError)
})
