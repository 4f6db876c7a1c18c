import { expect, test } from 'vitest'
import { parseFormatters } from '../edit-checks/formatter.js'
import { listServers } from './server-config.js'
import { BUILT_IN_SERVERS } from './server-table.js'

test('valid servers of the settings come before the built-in ones, and invalid ones are left out with a warning', () => {
  const problems: string[] = []
  const servers = listServers(
    {
      ts: { command: 'tsc', args: ['--lsp', '--stdio'], extensions: { '.ts': 'typescript' } },
      plain: { command: 'x', extensions: {} },
      wrong: { command: 1 },
      dotless: { command: 'x', extensions: { ts: 'typescript' } },
      empty: {},
    },
    (problem) => problems.push(problem),
  )
  expect(servers.slice(0, 2)).toMatchObject([
    {
      name: 'ts',
      programs: [{ command: 'tsc', args: ['--lsp', '--stdio'] }],
      extensions: { '.ts': 'typescript' },
      isConfigured: true,
    },
    { name: 'plain', programs: [{ command: 'x', args: [] }], extensions: {} },
  ])
  expect(servers.slice(2).map(({ name }) => name)).toEqual(BUILT_IN_SERVERS.map(({ name }) => name))
  expect(problems).toEqual([
    expect.stringContaining('wrong'),
    expect.stringContaining('dotless'),
    expect.stringContaining('empty is left out: it needs command and extensions'),
  ])
})

test('an entry with the name of a built-in server changes only the keys that it has, or disables it', () => {
  const servers = listServers({ gopls: { memoryMb: 100 }, clangd: { disabled: true } }, () => undefined)

  expect(servers.find(({ name }) => name === 'gopls')).toMatchObject({
    programs: [{ command: 'gopls', args: ['serve'] }],
    memoryBytes: 100 * 1024 ** 2,
    isConfigured: true,
    isSafeUntrusted: false,
  })
  expect(servers.some(({ name }) => name === 'clangd')).toBe(false)
})

test('valid formatters of the settings are used, and invalid ones are left out with a warning', () => {
  const problems: string[] = []
  const formatters = parseFormatters(
    { biome: { command: 'biome', args: ['format', '--write', '$FILE'], extensions: ['.ts'] }, none: {} },
    (problem) => problems.push(problem),
  )
  expect(formatters).toEqual([
    { name: 'biome', command: 'biome', args: ['format', '--write', '$FILE'], extensions: ['.ts'] },
  ])
  expect(problems).toHaveLength(1)
})
