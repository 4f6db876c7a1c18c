import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countLines, createInteractive } from './interactive-fixture.mjs'

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  onTestFinished(() => interactive.close())
  return interactive
}

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const ESC = '\u001b'
const UP = '\u001b[A'

function settingsWith(hooks: Record<string, unknown>, others: Record<string, unknown> = {}) {
  const groups = Object.entries(hooks).map(([event, hook]) => [event, [{ hooks: [hook] }]])
  return { '~/.haft/settings.json': JSON.stringify({ hooks: Object.fromEntries(groups), ...others }) }
}

test('the status message of a hook is shown while the hook runs', async () => {
  const hook = {
    type: 'command',
    command: 'while [ ! -e go ]; do sleep 0.02; done',
    statusMessage: 'Asking the guard',
  }
  const { start, project } = await open({
    turns: [bash('seq 1 3'), 'Done.'],
    files: settingsWith({ PreToolUse: hook }),
  })
  const terminal = start(['--allowed-tools', 'Bash(seq:*)', 'Count'])
  await terminal.waitFor('Asking the guard…')

  writeFileSync(join(project, 'go'), '')
  await terminal.waitFor('Done.')
  expect(countLines(terminal, 'Asking the guard')).toBe(0)
})

test('Notification hooks run when Haft waits for a prompt or a permission', async () => {
  const command = `read -r json; case "$json" in
    *idle_prompt*) echo '{"systemMessage":"told about the prompt"}';;
    *permission_prompt*) echo '{"systemMessage":"told about the permission"}';; esac`
  const { start } = await open({
    turns: [bash('touch a'), 'Done.'],
    files: settingsWith({ Notification: { type: 'command', command } }, { idleNotificationMs: 1 }),
  })
  const terminal = start(['Make it'])
  await terminal.waitFor('told about the permission')
  expect(countLines(terminal, 'told about the prompt')).toBe(0)

  terminal.type('1')
  await terminal.waitFor('told about the prompt')
})

test('input for the next step can be taken back and edited', async () => {
  const { start } = await open({ turns: ['Never said.'], script: { pauseMs: 1_000_000 } })
  const terminal = start(['Wait'])
  await terminal.waitFor('Esc to interrupt')

  terminal.type('first words\r')
  await terminal.waitFor('with the next step (↑ edits): first words')
  terminal.type('second words\r')
  await terminal.waitFor('with the next step (↑ edits): second words')
  terminal.type(UP)
  await terminal.waitFor('> second words')
  terminal.type(`, changed\t`)
  await terminal.waitFor('queued (↑ edits): second words, changed')
  terminal.type(ESC)
  await terminal.waitFor('queued (Enter sends, ↑ edits): first words')
  expect(countLines(terminal, 'second words, changed')).toBe(1)
})

test('a question of the model can be dismissed, and the turn continues', async () => {
  const questions = [
    {
      ...{ question: 'Which colour?', header: 'Colour', multiSelect: false },
      options: [
        { label: 'Red', description: '' },
        { label: 'Blue', description: '' },
      ],
    },
  ]
  const { start } = await open({
    turns: [{ calls: [{ name: 'AskUserQuestion', input: { questions } }] }, 'I choose myself.'],
  })
  const terminal = start(['Ask me'])
  await terminal.waitFor('Which colour?')

  terminal.type(ESC)
  await terminal.waitFor('I choose myself.')
})
