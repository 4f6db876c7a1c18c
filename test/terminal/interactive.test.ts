import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { countLines, createInteractive } from './interactive-fixture.mjs'
import type { PtyTerminal } from './pty-terminal.mjs'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  cleanups.push(() => interactive.close())
  return interactive
}

const read = (file_path: string) => ({ name: 'Read', input: { file_path } })
const edit = {
  text: 'I will change it.',
  calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }],
}
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })

test('a prompt is answered, and the session can be resumed', async () => {
  const { start } = await open({ turns: ['The **answer** is 42.'] })
  const terminal = start()
  await terminal.waitFor('asks before changes')

  terminal.type('What is it?\r')
  await terminal.waitFor('The answer is 42.')
  terminal.type('\u0004')
  await terminal.waitFor('haft --resume')
  await terminal.waitForExit()

  expect(terminal.exitCode).toBe(0)
  expect(countLines(terminal, 'What is it?')).toBe(1)
  expect(countLines(terminal, 'The answer is 42.')).toBe(1)
  expect(terminal.readModes()).toEqual([])
  expect(terminal.findForbiddenSequences()).toEqual([])
  const [, id] = /haft --resume (\S+)/.exec(terminal.readLines().join('\n')) ?? []
  const resumed = start(['--resume', id ?? ''])
  await resumed.waitFor('The answer is 42.')
  expect(countLines(resumed, 'What is it?')).toBe(1)
})

test('keys typed during the start are kept', async () => {
  const { start } = await open({ turns: ['First answer.'] })
  const terminal = start()
  await terminal.waitFor(/^>/m)
  terminal.type('early words\r')

  await terminal.waitFor('First answer.')
  expect(countLines(terminal, 'early words')).toBe(1)
})

test('ten parallel reads are shown as one line', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `f${index}.txt`)
  const files = Object.fromEntries(names.map((name) => [name, `content of ${name}\n`]))
  const { start } = await open({ turns: [{ text: 'Reading.', calls: names.map(read) }, 'All read.'], files })
  const terminal = start(['Read them'])

  await terminal.waitFor('All read.')
  expect(countLines(terminal, 'Read 10 files')).toBe(1)
  expect(countLines(terminal, 'content of')).toBe(0)
})

test('an edit shows its diff, asks, and runs when it is allowed', async () => {
  const { start, project } = await open({
    turns: [{ calls: [read('a.txt')] }, edit, 'Changed.'],
    files: { 'a.txt': 'one\n' },
  })
  const terminal = start(['Change it'])
  await terminal.waitFor('Allow this call?')

  terminal.type('1')
  await terminal.waitFor('Changed.')
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two\n')
  expect(countLines(terminal, 'I will change it.')).toBe(1)
  expect(terminal.readLines().join('\n')).toMatch(/-.*one[\s\S]*\+.*two/)
})

test('the answer Always saves exactly the rule that the dialog shows, in the file that it shows', async () => {
  const { start, project } = await open({
    turns: [{ calls: [read('a.txt')] }, edit, 'Changed.'],
    files: { 'a.txt': 'one\n' },
  })
  const terminal = start(['Change it'])
  await terminal.waitFor('Always: Edit(/a.txt)')
  await terminal.waitFor('settings.local.json')

  terminal.type('2')
  await terminal.waitFor('Changed.')
  const settings = JSON.parse(readFileSync(join(project, '.haft/settings.local.json'), 'utf8'))
  expect(settings.permissions.allow).toEqual(['Edit(/a.txt)'])
})

test('the answer No with a message tells the model what to do instead', async () => {
  const { start, project } = await open({
    turns: [{ calls: [read('a.txt')] }, edit, 'I leave it.'],
    files: { 'a.txt': 'one\n' },
  })
  const terminal = start(['Change it'])
  await terminal.waitFor('No, and tell the model')

  terminal.type('6')
  await terminal.waitFor('What should the model do instead?')
  terminal.type('write a test first\r')
  await terminal.waitFor('I leave it.')
  expect(terminal.readLines().join('\n')).toContain('write a test first')
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n')
})

test('a command can be edited before it is approved', async () => {
  const { start, project } = await open({ turns: [bash('touch wrong.txt'), 'Done.'] })
  const terminal = start(['Make a file'])
  await terminal.waitFor('Tab: edit first')

  terminal.type('\t')
  await terminal.waitFor('Change it, then Enter')
  terminal.type('\u0015touch right.txt\r')
  await terminal.waitFor('❯ 1 Yes, once')
  terminal.type('1')
  await terminal.waitFor('Done.')
  expect(existsSync(join(project, 'right.txt'))).toBe(true)
  expect(existsSync(join(project, 'wrong.txt'))).toBe(false)
})

test('Esc interrupts a running call, and queued prompts stay visible', async () => {
  const { start } = await open({ turns: [bash('sleep 60'), 'never said', 'Second answer.'] })
  const terminal = start(['--allowed-tools', 'Bash(sleep:*)', 'Wait'])
  await terminal.waitFor('○ Bash')

  terminal.type('later words\t')
  await terminal.waitFor('queued (↑ edits): later words')
  terminal.type('\u001b')
  await terminal.waitFor('You interrupted the work.')
  await terminal.waitFor('queued (Enter sends, ↑ edits): later words')
  terminal.type('\u001b[A')
  await terminal.waitFor('> later words')
})

test('text sent with Enter while the model works is part of its next request', async () => {
  const turns = [{ text: 'Working.', calls: [{ name: 'Bash', input: { command: 'sleep 3' } }] }, 'I heard you.']
  const { start } = await open({ turns })
  const terminal = start(['--allowed-tools', 'Bash(sleep:*)', 'Begin'])
  await terminal.waitFor('○ Bash')

  terminal.type('also do that\r')
  await terminal.waitFor('I heard you.')
  expect(countLines(terminal, '▌ also do that')).toBe(1)
})

test('the user is asked only once whether to trust a folder', async () => {
  const { start } = await open({ turns: ['Hello.'], isTrusted: false })
  const first = start()
  await first.waitFor('Do you trust the files in this folder?')
  first.type('1')
  await first.waitFor('asks before changes')
  first.type('\u0004')
  await first.waitForExit()

  const second = start()
  await second.waitFor('asks before changes')
  expect(countLines(second, 'Do you trust')).toBe(0)
})

test('without a model, haft explains how to configure one and restores the terminal', async () => {
  const { start } = await open({})
  const terminal = start([], { model: '' })
  await terminal.waitForExit()

  expect(terminal.exitCode).toBe(5)
  expect(terminal.readLines().join(' ')).toMatch(/ANTHROPIC_API_KEY|haft demo/)
  expect(terminal.readModes()).toEqual([])
})

test('the transcript view can search, and closing it restores the screen', async () => {
  const { start } = await open({
    turns: [{ text: 'Look.', calls: [read('a.txt')] }, 'Seen.'],
    files: { 'a.txt': 'needle\n' },
  })
  const terminal = start(['Look'])
  await terminal.waitFor('Seen.')
  const before = terminal.readScreen()

  terminal.type('\u000f')
  await terminal.waitFor('Transcript ·')
  terminal.type('/needle\r')
  await terminal.waitFor('Transcript · "needle"')
  expect(readInverseText(terminal)).toContain('needle')
  terminal.type('q')
  await terminal.waitFor('asks before changes')
  expect(terminal.readScreen()).toEqual(before)
})

/** The highlighted text, without the status row. */
function readInverseText({ terminal }: PtyTerminal): string {
  const { active } = terminal.buffer
  const cells = Array.from({ length: (terminal.rows - 1) * terminal.cols }, (_, index) =>
    active.getLine(Math.floor(index / terminal.cols))?.getCell(index % terminal.cols),
  )
  return cells.map((cell) => (cell?.isInverse() ? cell.getChars() : '')).join('')
}

test('commands of the user become prompts, and unknown ones are reported', async () => {
  const { start } = await open({
    turns: ['Greeted.'],
    files: { '~/.haft/commands/greet.md': '---\ndescription: Greets\n---\nSay hello to $1.' },
  })
  const terminal = start()
  await terminal.waitFor('asks before changes')

  terminal.type('/gret x\r')
  await terminal.waitFor('Unknown command /gret. Did you mean greet?')
  terminal.type('\u0015/greet Bob\r')
  await terminal.waitFor('Greeted.')
  terminal.type('/context\r')
  await terminal.waitFor('Built-in tools')
  terminal.type('/help\r')
  await terminal.waitFor('Shift+Tab')
})

test('on a terminal that draws ambiguous characters in two columns, the caret and the rows are at the right positions', async () => {
  const { start } = await open({ turns: [{ calls: [read('a.txt')] }, edit, 'Changed.'], files: { 'a.txt': 'one\n' } })
  const terminal = start([], { columns: 60, isAmbiguousWide: true })
  await terminal.waitFor('asks before changes')

  terminal.type('Привет')
  await terminal.waitFor('> Привет')
  expect(terminal.readCursor().column).toBe(2 + 12)
  terminal.type('\r')
  await terminal.waitFor('Yes, once')
  terminal.type('1')
  await terminal.waitFor('Changed.')
  expect(countLines(terminal, 'I will change it.')).toBe(1)
  expect(countLines(terminal, 'asks before changes')).toBe(1)
})

test('at 40 columns a line is drawn only once', async () => {
  const { start } = await open({ turns: [{ calls: [read('a.txt')] }, edit, 'Changed.'], files: { 'a.txt': 'one\n' } })
  const terminal = start(['Change it'], { columns: 40, rows: 30 })
  await terminal.waitFor('Yes, once')

  terminal.type('1')
  await terminal.waitFor('Changed.')
  expect(countLines(terminal, 'I will change it.')).toBe(1)
})

test('for screen readers everything is labelled, and choices are numbered', async () => {
  const { start, project } = await open({
    turns: [{ calls: [read('a.txt')] }, edit, 'Changed.'],
    files: { 'a.txt': 'one\n' },
  })
  const terminal = start(['--screen-reader', 'Change it'])
  await terminal.waitFor('1. Yes, once')

  terminal.type('1')
  await terminal.waitFor('assistant: Changed.')
  const text = terminal.readLines().join('\n')
  expect(text).toContain('info: Flat output for screen readers')
  expect(text).toContain('you: Change it')
  expect(text).toContain('tool: ')
  expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('two\n')
})

test('after kill -9 the session resumes with the whole conversation', async () => {
  const { start } = await open({ turns: ['Remember this.', 'And this.'] })
  const terminal = start(['Say it'])
  await terminal.waitFor('Remember this.')
  await terminal.waitFor('% of context')
  process.kill(terminal.pid, 'SIGKILL')
  await terminal.waitForExit()

  const resumed = start(['--continue'])
  await resumed.waitFor('Remember this.')
  expect(countLines(resumed, 'Say it')).toBe(1)
})

test('the transcript view and a resumed session show the recorded views of results', async () => {
  const { start } = await open({
    turns: [{ calls: [read('a.txt')] }, edit, { calls: [{ name: 'Bash', input: { command: 'seq 1 50' } }] }, 'Done.'],
    files: { 'a.txt': 'zero\none\n' },
  })
  const terminal = start(['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash(seq:*)', 'Change it'])
  await terminal.waitFor('Done.')
  terminal.type('\u000f')
  await terminal.waitFor(/Edit a\.txt\n.*1 +zero\n.*2 - one\n.*2 \+ two/)
  await terminal.waitFor(/Bash seq 1 50[\s\S]*more lines/)
  terminal.type('E')
  await terminal.waitFor(/\b15\b/)
  terminal.type('q\u0004')
  await terminal.waitForExit()

  const resumed = start(['--continue'])
  await resumed.waitFor(/Edit a\.txt\n.*1 +zero\n.*2 - one\n.*2 \+ two/)
  await resumed.waitFor(/Bash seq 1 50[\s\S]*… \d+ more lines/)
})

test('the transcript view also shows messages that a compaction has replaced', async () => {
  const { start } = await open({ turns: ['The first answer.', 'What was said before.', 'The second answer.'] })
  const terminal = start(['First'])
  await terminal.waitFor('The first answer.')
  await terminal.waitFor('% of context')
  terminal.type('/compact\r')
  await terminal.waitFor('The conversation was summarised')
  terminal.type('Second\r')
  await terminal.waitFor('The second answer.')

  terminal.type('\u000f')
  await terminal.waitFor('Transcript ·')
  const text = terminal.readScreen().join('\n')
  expect(text).toMatch(/▌ First[\s\S]*The first answer\.[\s\S]*summarised[\s\S]*▌ Second[\s\S]*The second answer\./)
})
