import { expect, test } from 'vitest'
import { canStartInBypass } from './can-start-in-bypass.js'

test('only root outside a sandbox cannot start in bypassPermissions mode', () => {
  const answers = [
    { isRoot: false, isSandboxed: false },
    { isRoot: false, isSandboxed: true },
    { isRoot: true, isSandboxed: true },
    { isRoot: true, isSandboxed: false },
  ].map((user) => canStartInBypass(user).canStart)

  expect(answers).toEqual([true, true, true, false])
})
