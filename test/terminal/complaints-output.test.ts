import { expect, onTestFinished, test } from 'vitest'
import { testWithProgram } from '../../src/testing/test-with-program.js'
import { countLines, createInteractive } from './interactive-fixture.mjs'
import { countTornRows, SHELL_LINES } from './pty-terminal.mjs'
import { startTmux } from './tmux-terminal.js'

async function open(options: Parameters<typeof createInteractive>[0]) {
  const interactive = await createInteractive(options)
  onTestFinished(() => interactive.close())
  return interactive
}

/** Finds the CSI sequences that continue with a pattern. */
const findSequences = (text: string, continuation: string) =>
  text.match(new RegExp(`\u001b\\[${continuation}`, 'g')) ?? []

const SIZE = { columns: 100, rows: 30 }
const createNumberedLines = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => `${index} ${text}`)
const read = (file_path: string) => ({ name: 'Read', input: { file_path } })
const bash = (command: string) => ({ name: 'Bash', input: { command } })
const READ_AND_RUN = {
  turns: [
    { text: 'I **look** first.\n\n```js\nconst a = 1\n```', calls: [read('a.txt'), bash('ls')] },
    { text: 'Then I count.', calls: [bash('seq 1 100')] },
    'One paragraph.\n\n- a list\n- of two items\n\nAll done.',
  ],
  script: { pieceLength: 5 },
  files: { 'a.txt': 'one\n' },
}

test('a session does not flicker: no torn rows, and each larger change is one synchronised update', async () => {
  const { start } = await open(READ_AND_RUN)
  const terminal = start(['--allowed-tools', 'Bash(seq:*)', '--', 'Look'], SIZE)
  await terminal.waitFor('All done.')
  await terminal.waitFor('of context')

  expect(countTornRows(terminal.log, SIZE)).toBe(0)
  const log = terminal.readLog()
  const updates = log.split('\u001b[?2026h').slice(1)
  // How many there are depends on the speed of the machine.
  expect(updates.length).toBeGreaterThan(0)
  const outside = updates.map((text) => text.slice(text.indexOf('\u001b[?2026l'))).join('')
  expect(updates.every((text) => text.includes('\u001b[?2026l'))).toBe(true)
  expect(findSequences(outside, '\\d*[JLM]')).toEqual([])
})

test('a session does not clear, scroll or capture the mouse, and keeps the lines of the shell', async () => {
  const answer = createNumberedLines(300, 'line of the answer')
  const { start } = await open({ turns: [`${answer.join('\n\n')}\n\nThe end.`] })
  const terminal = start(['Say much'], { ...SIZE, isBelowLines: true })
  await terminal.waitFor('The end.')

  expect(terminal.findForbiddenSequences()).toEqual([])
  expect(findSequences(terminal.readLog(), '\\?(?:9|1000|1001|1002|1003|1005|1006|1015|1016)h')).toEqual([])
  const lines = terminal.readLines()
  expect(lines.slice(0, SHELL_LINES.length)).toEqual(SHELL_LINES)
  expect(lines.filter((line) => line.endsWith('line of the answer'))).toEqual(answer)
})

testWithProgram('tmux')(
  'a paragraph copied from the scrollback of tmux is one line, and rows end between words',
  async () => {
    const paragraph = 'This paragraph is longer than the window is wide. '.repeat(4).trim()
    const { createCommand, project, home } = await open({ turns: [`${paragraph}\n\nNext.`] })
    const variables = { HOME: home }
    const terminal = startTmux(createCommand(['Say it']), { columns: 60, rows: 20, cwd: project, variables })
    await terminal.waitFor((lines) => lines.includes('Next.'))

    expect(terminal.readLines().map((line) => line.replace(/ +/g, ' '))).toContain(paragraph)
    const rows = terminal.readRows().filter((row) => /paragraph|window/.test(row))
    const words = paragraph.split(' ')
    expect(rows.flatMap((row) => row.trim().split(/ +/)).filter((word) => !words.includes(word))).toEqual([])
  },
)

test('the bytes for a key do not depend on the length of the transcript', async () => {
  const { start } = await open({ turns: ['Short.', `${createNumberedLines(2_000, 'line').join('\n\n')}\n\nLong.`] })
  const terminal = start([], SIZE)
  await terminal.waitFor('asks before changes')
  const typeKey = async (key: string) => {
    const before = terminal.readLog().length
    const { column } = terminal.readCursor()
    terminal.type(key)
    await terminal.waitFor(() => terminal.readCursor().column === column + 1)
    return terminal.readLog().slice(before)
  }

  terminal.type('First\r')
  await terminal.waitFor('Short.')
  await terminal.waitFor('of context')
  const short = [await typeKey('a'), await typeKey('b')]
  terminal.type('\u0015Second\r')
  await terminal.waitFor('Long.')
  await terminal.waitFor(() => terminal.readCursor().text === '>')
  const long = [await typeKey('a'), await typeKey('b')]
  expect(long).toEqual(short)
  expect(short).toEqual(['a', 'b'])
})

test('after 100 random resizes each line occurs exactly once', async () => {
  const answer = createNumberedLines(200, 'line of the answer that is long enough to be wrapped by a narrow terminal')
  const { start } = await open({ turns: [`${answer.join('\n\n')}\n\nThe end.`] })
  const terminal = start(['Say much'], { ...SIZE, isBelowLines: true })
  await terminal.waitFor('The end.')
  await terminal.waitFor('asks before changes')
  let seed = 12_345
  const random = (min: number, max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return min + (seed % (max - min + 1))
  }
  for (let count = 0; count < 100; count++) {
    terminal.resize(random(40, 140), random(12, 50))
    // When a key is echoed, the program has handled the new size.
    terminal.type('x')
    await terminal.waitFor(() => terminal.readCursor().text === '> x')
    terminal.type('\u007f')
    await terminal.waitFor(() => terminal.readCursor().text === '>')
  }

  const lines = terminal.readLines()
  expect(lines.slice(0, SHELL_LINES.length)).toEqual(SHELL_LINES)
  expect(lines.filter((line) => line.includes('line of the answer'))).toEqual(answer)
  expect(lines.filter((line) => line.startsWith('asks before changes'))).toHaveLength(1)
  expect(terminal.findForbiddenSequences()).toEqual([])
})

test('for screen readers the cursor never moves upwards, and nothing is inserted, scrolled or animated', async () => {
  const { start } = await open(READ_AND_RUN)
  const terminal = start(['--screen-reader', '--allowed-tools', 'Bash(seq:*)', '--', 'Look'], SIZE)
  await terminal.waitFor('All done.')
  terminal.type('next')
  await terminal.waitFor('> next')

  expect(findSequences(terminal.readLog(), '[\\d;]*[ABEFHLMSTfr]')).toEqual([])
  expect(terminal.readLines().join('\n')).not.toMatch(/[◐◓◑◒└▌●○]/)
  expect(countLines(terminal, 'assistant: One paragraph.')).toBe(1)
})
