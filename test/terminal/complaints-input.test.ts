import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countLines, createInteractive } from './interactive-fixture.mjs'

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  onTestFinished(() => interactive.close())
  return interactive
}

/** A model that repeats what it received: the prompt as JSON if it is short, else its length and hash. */
const ECHO = `
import { createHash } from 'node:crypto'
const textOf = ({ content }) => (typeof content === 'string' ? content : content[0].text)
const echo = ({ messages }) => {
  const text = textOf(messages.at(-1))
  const hash = createHash('sha256').update(text).digest('hex')
  return text.length < 100 ? 'Received ' + JSON.stringify(text) : 'Received ' + text.length + ' ' + hash
}
export const script = { facts: { contextWindow: 10_000_000 }, turns: Array.from({ length: 10 }, () => echo) }
`
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })

test.each([100_000, 1_000_000])('the model receives a paste of %d characters exactly', async (size) => {
  const { start } = await open({ program: ECHO })
  const terminal = start()
  await terminal.waitFor('asks before changes')
  const line = 'tabs\tand  spaces, ümlauts, 漢字, 👩‍👩‍👧, \u0001\u0007\u001b[31m, \u00a0 and \\ backslashes\n'
  const text = `\tfirst\n${line.repeat(Math.ceil(size / line.length))}`.slice(0, size - 1).concat('.')

  terminal.type(`\u001b[200~${text}\u001b[201~`)
  await terminal.waitFor(`Pasted text #1: ${text.length} characters`)
  terminal.type('\r')
  const hash = createHash('sha256').update(text).digest('hex')
  await terminal.waitFor(`Received ${text.length} ${hash}`)
  // The transcript shows only the beginning of the paste.
  expect(terminal.readLines().length).toBeLessThan(100)
})

test('the hardware cursor is at the caret after wide characters, even while the model works', async () => {
  const { start } = await open({ turns: [bash('sleep 60')] })
  const terminal = start(['--allowed-tools', 'Bash(sleep:*)', '--', 'Wait'])
  await terminal.waitFor('○ Bash')
  const isCaretAt = (column: number) => () =>
    terminal.readCursor().column === column && !terminal.readModes().includes('?25')

  terminal.type('漢字かな')
  await terminal.waitFor('> 漢字かな')
  await terminal.waitFor(isCaretAt(2 + 8))
  terminal.type('\u001b[D\u001b[D')
  await terminal.waitFor(isCaretAt(2 + 4))
  terminal.type('한')
  await terminal.waitFor('> 漢字한かな')
  await terminal.waitFor(isCaretAt(2 + 6))
  const spinner = terminal.readScreen().find((row) => row.includes('Esc to interrupt'))
  await terminal.waitFor(() => !terminal.readScreen().includes(spinner ?? ''))
  expect(terminal.readCursor()).toMatchObject({ column: 2 + 6, text: '> 漢字한かな' })
})

test.each([
  ['Shift+Enter of the kitty protocol', '\u001b[13;2u'],
  ['Shift+Enter of modifyOtherKeys', '\u001b[27;2;13~'],
  ['Ctrl+J', '\n'],
  ['a backslash before Enter', '\\\r'],
])('%s starts a new line', async (_, keys) => {
  const { start } = await open({ program: ECHO })
  const terminal = start()
  await terminal.waitFor('asks before changes')

  terminal.type(`first${keys}second`)
  await terminal.waitFor(/^> first\n {2}second$/m)
  terminal.type('\r')
  await terminal.waitFor('Received "first\\nsecond"')
})

test('queued prompts are sent one after another when the turn ends, and none are lost', async () => {
  const { start, project } = await open({
    turns: [bash('until test -e go; do sleep 0.1; done'), 'Work ends.', 'Answer to one.', 'Answer to two.'],
  })
  const terminal = start(['--allowed-tools', 'Bash', '--', 'Work'])
  await terminal.waitFor('○ Bash')
  terminal.type('prompt one\t')
  await terminal.waitFor(/queued.*: prompt one/)
  terminal.type('prompt two\t')
  await terminal.waitFor(/queued.*: prompt two/)
  writeFileSync(join(project, 'go'), '')
  await terminal.waitFor('Answer to two.')

  const order = ['Work ends.', '▌ prompt one', 'Answer to one.', '▌ prompt two', 'Answer to two.']
  const lines = terminal.readLines()
  expect(order.map((text) => countLines(terminal, text))).toEqual(order.map(() => 1))
  const places = order.map((text) => lines.indexOf(text))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('commands that chain several reads need no approval', async () => {
  const { start } = await open({
    turns: [bash('cat a.txt && grep one a.txt | head -5; git status; wc -l a.txt'), 'Read it all.'],
    files: { 'a.txt': 'one\n' },
  })
  const terminal = start(['Read'])
  await terminal.waitFor('Read it all.')
  expect(terminal.readLog()).not.toContain('Allow this call?')
})

test('a question about a compound command names the parts and the rules, which are saved and prevent further questions', async () => {
  const command = 'ls && mkdir -p out && touch out/a && cat out/a'
  const { start, project } = await open({ turns: [bash(command), bash(command), 'Done twice.'] })
  const terminal = start(['Do it'])
  await terminal.waitFor('Allow this call?')
  await terminal.waitFor(/'mkdir -p out' writes files and 'touch out\/a' writes files/)
  await terminal.waitFor('2 Always: Bash(mkdir:*), Bash(touch:*)')

  terminal.type('2')
  await terminal.waitFor('Done twice.')
  const settings = JSON.parse(readFileSync(join(project, '.haft/settings.local.json'), 'utf8'))
  expect(settings.permissions.allow).toEqual(['Bash(mkdir:*)', 'Bash(touch:*)'])
})

test('the status line shows mode, context, model and folder, and vim keys work', async () => {
  const { start } = await open({ program: ECHO })
  const terminal = start(['Hello'])
  await terminal.waitFor(/^asks before changes · \d+% of context · scripted · project$/m)
  terminal.type('\u001b[Z')
  await terminal.waitFor(/^accepts edits · /m)

  terminal.type('/vim\r')
  await terminal.waitFor('vim')
  terminal.type('one two three\u001b')
  await terminal.waitFor('vim: normal mode')
  terminal.type('0dwA four\r')
  await terminal.waitFor('Received "two three four"')
})
