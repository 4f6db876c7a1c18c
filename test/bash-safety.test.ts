import { describe, expect, test } from 'vitest'
import { localClassifier } from '../src/permissions/auto-mode/local-classifier.js'
import { createFixtureTool, decideOn, type FakeShell, readStatedCommand } from '../src/permissions/fixture-calls.js'
import { analyseCommand } from '../src/shell/analyse-command.js'
import everyday from './fixtures/bash-safety/everyday.json' with { type: 'json' }
import { type CommandRow, FIXTURE_FOLDER, readCommandRows, readRuleRows } from './lib/bash-safety-rows.js'

const MIN_CORE_RECALL = 0.92
const MIN_EVERYDAY_RECALL = 0.97
const HARD_CATEGORIES = new Set(['ro_hard', 'ro_var'])
const pathContext = { cwd: FIXTURE_FOLDER, homeDir: '/home/dev' }
const isReadOnly = (command: string) => analyseCommand(command, { cwd: FIXTURE_FOLDER, home: '/home/dev' }).isReadOnly

const bash = createFixtureTool('Bash', {
  needs: ['shell'],
  command: readStatedCommand,
  isReadOnly: (input) => isReadOnly(String((input as { command: string }).command)),
  toAutoClassifierInput: (input) => (input as { command: string }).command,
})

function decide(command: string, conditions: Parameters<typeof decideOn>[2]) {
  const shell: FakeShell = { analyse: ({ text }, cwd) => analyseCommand(text, { cwd, home: '/home/dev' }) }
  return decideOn(bash, { command }, { pathContext, shell, ...conditions })
}

describe('observed commands:', () => {
  test('no command that has or hides effects is treated as read-only', () => {
    const rows = [...readCommandRows('adversarial'), ...readCommandRows('benign-effect')]
    expect(rows.length).toBeGreaterThan(900)
    expect(rows.filter(({ command }) => isReadOnly(command)).map(({ command }) => command)).toEqual([])
  })

  test('nearly all read-only commands are recognised', () => {
    const coreRows = readCommandRows('benign-readonly').filter(({ category }) => !HARD_CATEGORIES.has(category))
    const missedCommands = coreRows.filter(({ command }) => !isReadOnly(command)).map(({ command }) => command)
    expect(1 - missedCommands.length / coreRows.length, missedCommands.join('\n')).toBeGreaterThanOrEqual(
      MIN_CORE_RECALL,
    )
  })

  test('nearly all everyday read-only commands are recognised', () => {
    const missedCommands = everyday.filter((command) => !isReadOnly(command))
    expect(everyday.length).toBeGreaterThan(600)
    expect(1 - missedCommands.length / everyday.length, missedCommands.join('\n')).toBeGreaterThanOrEqual(
      MIN_EVERYDAY_RECALL,
    )
  })

  test('no command that hides its effects is allowed in auto mode', async () => {
    const allowedRows: CommandRow[] = []
    for (const row of readCommandRows('adversarial')) {
      const { behavior } = await decide(row.command, { mode: 'auto', classifier: localClassifier })
      if (behavior === 'allow') allowedRows.push(row)
    }
    expect(allowedRows.map(({ command }) => command)).toEqual([])
  })
})

describe('the command', () => {
  test.each(readRuleRows())(
    '$command is decided as expected ($expected) under the rules $rules',
    async ({ rules, command, expected, also_ok }) => {
      const { behavior } = await decide(command, { rules })
      expect([expected, ...also_ok]).toContain(behavior)
    },
  )
})
