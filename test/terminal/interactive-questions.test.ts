import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countLines, createInteractive } from './interactive-fixture.mjs'

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  onTestFinished(() => interactive.close())
  return interactive
}

const QUESTIONS = [
  {
    ...{ question: 'Which colour?', header: 'Colour', multiSelect: false },
    options: [
      { label: 'Red', description: 'like fire' },
      { label: 'Blue', description: 'like water' },
    ],
  },
  {
    ...{ question: 'Which sizes?', header: 'Size', multiSelect: true },
    options: [
      { label: 'Small', description: '' },
      { label: 'Large', description: '' },
    ],
  },
]

test('questions of the model are answered one after another, and the model gets the answers', async () => {
  const { start } = await open({
    turns: [{ calls: [{ name: 'AskUserQuestion', input: { questions: QUESTIONS } }] }, 'Thanks.'],
  })
  const terminal = start(['Ask me'])
  await terminal.waitFor('Which colour?')

  terminal.type('2')
  await terminal.waitFor('Which sizes?')
  terminal.type('12')
  await terminal.waitFor(/1 \[x\] Small[\s\S]*2 \[x\] Large/)
  terminal.type('\r')
  await terminal.waitFor('Thanks.')
  const text = terminal.readLines().join('\n')
  expect(text).toMatch(/Blue/)
  expect(text).toMatch(/Small, Large/)
  expect(terminal.exitCode).toBeUndefined()
})

test('the question about an edit shows context lines and line numbers', async () => {
  const read = { name: 'Read', input: { file_path: 'a.txt' } }
  const edit = { name: 'Edit', input: { file_path: 'a.txt', old_string: 'thr', new_string: 'THR' } }
  const { start, project } = await open({
    turns: [{ calls: [read] }, { calls: [edit] }, 'Changed.'],
    files: { 'a.txt': 'one\ntwo\nthree\nfour\n' },
  })
  const terminal = start(['Change it'])
  await terminal.waitFor('Allow this call?')

  await terminal.waitFor(/2 +two\n.*3 - three\n.*3 \+ THRee\n.*4 +four/)
  terminal.type('1')
  await terminal.waitFor('Changed.')
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\ntwo\nTHRee\nfour\n')
})

test('a command that deletes files has no broader rule', async () => {
  const { start } = await open({
    turns: [{ calls: [{ name: 'Bash', input: { command: 'rm -r build' } }] }, 'Done.'],
    files: { 'build/a.txt': 'a' },
  })
  const terminal = start(['Clean'])
  await terminal.waitFor('This call may destroy data.')

  await terminal.waitFor('Always: Bash(rm -r build)')
  expect(countLines(terminal, 'broader')).toBe(0)
})

test('after a refusal the user sees their own answer, not the message for the model', async () => {
  const { start } = await open({ turns: [{ calls: [{ name: 'Bash', input: { command: 'touch a' } }] }, 'Understood.'] })
  const terminal = start(['Make a file'])
  await terminal.waitFor('Yes, once')

  terminal.type('\u001b')
  await terminal.waitFor('Understood.')
  expect(countLines(terminal, 'You said no.')).toBe(1)
  expect(countLines(terminal, 'The user')).toBe(0)

  terminal.type('\u0004')
  await terminal.waitForExit()
  const resumed = start(['--continue'])
  await resumed.waitFor('You said no.')
  for (const shown of [terminal, resumed]) expect(shown.readLines().join('\n')).toMatch(/⊘ .*touch a/)
  expect(countLines(resumed, 'The user')).toBe(0)
})

test('after an interruption no message for the model is shown', async () => {
  const { start } = await open({ turns: [{ calls: [{ name: 'Bash', input: { command: 'sleep 60' } }] }, 'never said'] })
  const terminal = start(['--allowed-tools', 'Bash(sleep:*)', 'Wait'])
  await terminal.waitFor('○ Bash')

  terminal.type('\u001b')
  await terminal.waitFor('You interrupted the work. Say what to do instead.')
  const text = terminal.readLines().join('\n')
  expect(text).not.toMatch(/The user|this message/)
})

test('without a model, one screen explains how to configure one', async () => {
  const { start } = await open({})
  const terminal = start([], { model: '' })
  await terminal.waitForExit()

  expect(terminal.exitCode).toBe(5)
  const text = terminal.readLines().join('\n')
  expect(text).toContain('haft login anthropic')
  expect(text).toContain('export OPENAI_BASE_URL=')
  expect(text).toContain('haft demo')
  expect(terminal.readLines().length).toBeLessThan(40)
})

test('background tasks can be watched and stopped, and the model still gets their output', async () => {
  const command = 'for i in 1 2 3; do echo tick $i; done; sleep 60'
  const { start } = await open({
    turns: [
      { calls: [{ name: 'Bash', input: { command, description: 'Ticks', run_in_background: true } }] },
      'Started.',
      { calls: [{ name: 'TaskOutput', input: { task_id: 'shell-1' } }] },
      'Read.',
    ],
  })
  const terminal = start(['--permission-mode', 'bypassPermissions', 'Start it'], { variables: { HAFT_SANDBOX: '1' } })
  await terminal.waitFor('1 task in background')

  terminal.type('\u0002')
  await terminal.waitFor('tick 3')
  expect(terminal.readScreen()[0]).toContain('Background tasks')
  terminal.type('\u000b')
  await terminal.waitFor('shell-1 · stopped')
  terminal.type('\r')
  await terminal.waitFor('shell-1: Ticks')
  terminal.type('q')
  await terminal.waitFor('Started.')
  terminal.type('What did it print?\r')
  await terminal.waitFor('Read.')
  terminal.type('\u000fE')
  await terminal.waitFor(/TaskOutput[\s\S]*tick 1/)
})
