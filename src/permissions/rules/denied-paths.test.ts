import { expect, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import { listDeniedReads } from './denied-paths.js'

const place = { cwd: '/code/sub', startDir: '/code', projectDir: '/repo', homeDir: '/home/me' }

test.each([
  ['Read(.env)', ['/code/.env']],
  ['Read(./secrets/**)', ['/code/secrets']],
  ['Read(/config/key.pem)', ['/repo/config/key.pem']],
  ['Read(~/.ssh/**)', ['/home/me/.ssh']],
  ['Read(//etc/own)', ['/etc/own']],
  ['Read(../other)', ['/other']],
  ['Read(**/*.pem)', []],
  ['Read(*.key)', []],
  ['Read(/**)', []],
  ['Read', []],
  ['Edit(.env)', []],
])('%s hides %j from sandboxed commands', (rule, expected) => {
  expect(listDeniedReads(createPermissionContext({ alwaysDenyRules: { cliArg: [rule] } }), place)).toEqual(expected)
})
