import { expect, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import { listDeniedReads } from './denied-paths.js'

const pathContext = { cwd: '/code/sub', startDir: '/code', projectDir: '/repo', homeDir: '/home/me' }

const deniedReadsOf = (rule: string) =>
  listDeniedReads(createPermissionContext({ alwaysDenyRules: { cliArg: [rule] } }), pathContext)

test.each([
  ['Read(./.env)', ['/code/.env']],
  ['Read(./secrets/**)', ['/code/secrets']],
  ['Read(/config/key.pem)', ['/repo/config/key.pem']],
  ['Read(~/.ssh/**)', ['/home/me/.ssh']],
  ['Read(//etc/own)', ['/etc/own']],
  ['Read(../other)', ['/other']],
  ['Read(/**)', []],
  ['Read', []],
  ['Edit(.env)', []],
])('the deny rule %s hides exactly the paths %j from sandboxed commands', (rule, expected) => {
  expect(deniedReadsOf(rule)).toEqual({ paths: expected.map((path) => ({ path, isAsked: false })), patterns: [] })
})

test.each([
  ['Read(.env)', '/code', 'a/b/.ENV'],
  ['Read(**/*.pem)', '/code', 'keys/a.pem'],
  ['Read(*.key)', '/code', 'x.key'],
  ['Read(~/notes/*/private)', '/home/me/notes', 'old/private'],
  ['Read(//srv/**/secrets/**)', '/srv', 'a/secrets'],
])('the deny rule %s hides matching names below %s from sandboxed commands', (rule, folder, match) => {
  const [pattern, ...others] = deniedReadsOf(rule).patterns
  const names = match.split('/')

  expect([pattern?.folder, others, deniedReadsOf(rule).paths]).toEqual([folder, [], []])
  expect(pattern?.matchesName(names.at(-1) ?? '')).toBe(true)
  expect([names, [...names.slice(0, -1), 'other']].map((segments) => pattern?.matches(segments))).toEqual([true, false])
  expect(pattern?.mayMatchBelow(names.slice(0, -1))).toBe(true)
})

test('paths of ask rules for reading are listed and marked as asked', () => {
  const context = createPermissionContext({ alwaysAskRules: { cliArg: ['Read(./a)', 'Read(*.b)'] } })

  expect(listDeniedReads(context, pathContext)).toMatchObject({
    paths: [{ path: '/code/a', isAsked: true }],
    patterns: [{ rule: 'Read(*.b)', isAsked: true }],
  })
})
