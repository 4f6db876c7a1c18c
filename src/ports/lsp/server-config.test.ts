import { expect, test } from 'vitest'
import { parseFormatters } from '../edit-checks/formatter.js'
import { parseServers } from './server-config.js'

test('valid servers of the settings are used, and invalid ones are left out with a warning', () => {
  const problems: string[] = []
  const servers = parseServers(
    {
      ts: { command: 'tsc', args: ['--lsp', '--stdio'], extensions: { '.ts': 'typescript' } },
      plain: { command: 'x', extensions: {} },
      wrong: { command: 1 },
      dotless: { command: 'x', extensions: { ts: 'typescript' } },
    },
    (problem) => problems.push(problem),
  )
  expect(servers).toEqual([
    { name: 'ts', command: 'tsc', args: ['--lsp', '--stdio'], extensions: { '.ts': 'typescript' } },
    { name: 'plain', command: 'x', args: [], extensions: {} },
  ])
  expect(problems).toEqual([expect.stringContaining('wrong'), expect.stringContaining('dotless')])
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
