import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildScreenProgram, startScreen } from './driven-screen.mjs'
import { countTornRows, SHELL_LINES } from './pty-terminal.mjs'

let screenProgram: Awaited<ReturnType<typeof buildScreenProgram>>
beforeAll(async () => {
  screenProgram = await buildScreenProgram()
})
afterAll(() => screenProgram.remove())

async function start(options: { columns?: number; rows?: number; variables?: Record<string, string> } = {}) {
  const screen = await startScreen({ program: screenProgram.program, ...options })
  onTestFinished(() => screen.close())
  return screen
}

function listChildren(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

const createNumberedLines = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => `${index} ${text}`)

test('lines committed while the terminal is resized occur exactly once, below the lines of the shell', async () => {
  const { terminal, send } = await start({ columns: 100 })
  const streamEnd = send({ stream: { count: 400, intervalMs: 1, text: 'a line of the answer' } })
  for (let count = 0; count < 20; count++) {
    await terminal.waitFor(() => terminal.readLines().length > 100 + count * 15)
    terminal.resize(60 + ((count * 37) % 60), 16 + ((count * 7) % 20))
  }
  await streamEnd
  await terminal.waitFor('399 a line of the answer')

  const lines = terminal.readLines()
  const answer = lines.filter((line) => line.endsWith('a line of the answer'))
  expect(answer).toEqual(createNumberedLines(400, 'a line of the answer'))
  expect(lines.slice(0, SHELL_LINES.length)).toEqual(SHELL_LINES)
  expect(terminal.findForbiddenSequences()).toEqual([])
})

const WIDE_TEXT = 'a line of the answer, which is wider than the terminal is sometimes'

test.each([75, 88, 120])(
  'a terminal that reads only after a resize to %i columns has each line exactly once',
  async (columns) => {
    const { terminal, send } = await start({ columns: 100 })
    const streamed = send({ stream: { count: 60, intervalMs: 1, text: WIDE_TEXT, isByWord: true } })
    await terminal.waitFor(() => terminal.readLines().length > SHELL_LINES.length + 10)
    terminal.hold()
    await terminal.waitForHeldOutput()
    terminal.resizeAndRead(columns, 20)
    await streamed
    await terminal.waitFor(`59 ${WIDE_TEXT}`)

    expect(terminal.readLines().slice(0, -2)).toEqual([...SHELL_LINES, ...createNumberedLines(60, WIDE_TEXT)])
  },
)

test('a terminal that is resized again and again before it reads loses no line', async () => {
  const { terminal, send } = await start({ columns: 100 })
  const streamed = send({ stream: { count: 200, intervalMs: 1, text: WIDE_TEXT, isByWord: true } })
  for (let count = 0; count < 20; count++) {
    await terminal.waitFor(() => terminal.readLines().length > 100 + count * 5)
    terminal.hold()
    await terminal.waitForHeldOutput()
    terminal.resizeAndRead(40 + ((count * 37) % 60), 16 + ((count * 7) % 20))
  }
  await streamed
  await terminal.waitFor(`199 ${WIDE_TEXT}`)

  // If the width changes again before a frame is read, a row of it may stay: its height is not known any more, and erasing
  // too much would lose a line. Such a row is the beginning of a line beside it.
  const lines = terminal.readLines().slice(0, -2)
  const isLeftover = (line: string, index: number) =>
    lines[index - 1]?.startsWith(line) === true ||
    (lines[index + 1] !== line && lines[index + 1]?.startsWith(line) === true)
  const wholeLines = lines.filter((line, index) => !isLeftover(line, index))
  expect(wholeLines).toEqual([...SHELL_LINES, ...createNumberedLines(200, WIDE_TEXT)])
})

test('a paragraph that the terminal wraps is copied as one line', async () => {
  const { terminal, send } = await start({ columns: 40 })
  const paragraph = 'This paragraph is longer than the screen is wide, so the terminal wraps it.'
  await send({ commit: [paragraph, 'next'] })
  await terminal.waitFor('next')
  expect(terminal.readLines()).toContain(paragraph)
})

test('no row flickers while an answer arrives', async () => {
  const { terminal, send } = await start()
  for (let count = 0; count < 50; count++)
    await send({ open: [`open answer ${count}`], commit: count % 5 === 0 ? [`finished ${count}`] : [] })
  await terminal.waitFor('open answer 49')
  expect(countTornRows(terminal.log, { columns: 80, rows: 24 })).toBe(0)
})

test('keys typed while an answer arrives are not lost', async () => {
  const { terminal, send } = await start()
  const streamEnd = send({ stream: { count: 300, intervalMs: 1, text: 'a line' } })
  const text = 'the quick brown fox jumps over the lazy dog'
  for (const [index, key] of [...text].entries()) {
    terminal.type(key)
    await terminal.waitFor(() => terminal.readCursor().text === `> ${text.slice(0, index + 1)}`.trimEnd())
  }
  terminal.type('\r')
  await streamEnd
  await terminal.waitFor(() => terminal.readLines().includes(`you: ${text}`))
})

test.each([100_000, 1_000_000])('a paste of %d characters arrives exactly', async (size) => {
  const { terminal } = await start()
  const text = `\tfirst line\n${'paste with tabs\tand ümlauts 漢字 🙂\n'.repeat(Math.ceil(size / 32))}`.slice(0, size)
  terminal.type(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`)
  await terminal.waitFor(`${text.length} characters`)
  terminal.type('\r')
  await terminal.waitFor(`you: ${text.length} characters, sha256 ${createHash('sha256').update(text).digest('hex')}`)
})

test('closing the alternate screen restores the main screen', async () => {
  const { terminal, send } = await start()
  await send({ commit: ['one', 'two'] })
  await terminal.waitFor('two')
  const before = terminal.readLines()
  await send({ alternate: ['transcript', 'second row'] })
  await terminal.waitFor('second row')
  expect(terminal.terminal.buffer.active.type).toBe('alternate')
  await send({ commit: ['three'] })
  await send({ alternate: null })
  await terminal.waitFor('three')
  expect(terminal.terminal.buffer.active.type).toBe('normal')
  expect(terminal.readLines()).toEqual([...before.slice(0, -2), 'three', ...before.slice(-2)])
})

describe('the state of the terminal', () => {
  test('has the keyboard modes set while the screen is open', async () => {
    const { terminal } = await start()
    await terminal.waitFor(() => terminal.readModes().includes('modifyOtherKeys'))
    expect(terminal.readModes()).toEqual(['?2004', '?1004', 'modifyOtherKeys', 'keyboard'])
    expect(terminal.isRaw()).toBe(true)
  })

  test.each([
    ['an exit', { exit: 3 }, undefined, 'exit code 3'],
    ['an exception', { throws: 'a bug' }, undefined, 'exit code 1'],
    ['SIGTERM', undefined, 'SIGTERM', 'exit code 143'],
    ['SIGHUP', undefined, 'SIGHUP', 'exit code 129'],
  ] as const)('is restored after %s, and what was committed stays', async (_, command, signal, end) => {
    const { terminal, pid, send, post } = await start()
    await send({ commit: ['committed'], title: 'haft' })
    await terminal.waitFor('committed')
    if (command !== undefined) post(command)
    if (signal !== undefined) process.kill(pid, signal)
    await terminal.waitFor(end)
    expect(terminal.readModes()).toEqual([])
    expect(terminal.isRaw()).toBe(false)
    const lines = terminal.readLines()
    expect(lines.slice(0, SHELL_LINES.length + 1)).toEqual([...SHELL_LINES, 'committed'])
    expect(lines).not.toContain('ready 80x24')
  })

  test('has no reply left for the shell after an exit while an answer arrives', async () => {
    const { terminal, post } = await start()
    const text = 'a line that is wide enough to be checked'
    post({ stream: { count: 5_000, intervalMs: 1, text } })
    await terminal.waitFor(() => terminal.readLines().includes(`50 ${text}`))
    post({ exit: 0 })
    await terminal.waitFor('exit code 0')
    terminal.type('typed in the shell\r')
    await terminal.waitFor('typed in the shell')
    const lines = terminal.readLines()
    const end = lines.indexOf('exit code 0')
    // The terminal shows what is typed, and `cat` prints it again.
    expect(new Set(lines.slice(end + 1))).toEqual(new Set(['typed in the shell']))
  })

  test.each(['at the prompt', 'while an answer arrives', 'in the alternate screen'])(
    'is restored after SIGKILL %s',
    async (moment) => {
      const { terminal, pid, send, post } = await start()
      if (moment === 'while an answer arrives') post({ stream: { count: 5_000, intervalMs: 1, text: 'a line' } })
      if (moment === 'in the alternate screen') await send({ alternate: ['transcript'] })
      await terminal.waitFor(() => moment !== 'while an answer arrives' || terminal.readLines().includes('50 a line'))
      process.kill(pid, 'SIGKILL')
      // The shell may still have written to the alternate screen.
      await terminal.waitFor(() => terminal.readLog().includes('exit code 137'))
      await terminal.waitUntilRestored()
      expect(terminal.terminal.buffer.active.type).toBe('normal')
      expect(terminal.readLines().slice(0, SHELL_LINES.length)).toEqual(SHELL_LINES)
    },
  )

  test('is restored after SIGKILL even if the guard was killed before', async () => {
    const { terminal, pid, send } = await start()
    await terminal.waitFor('ready')
    const [guard = 0] = listChildren(pid)
    process.kill(guard, 'SIGKILL')
    await expect.poll(() => listChildren(pid).filter((child) => child !== guard)).toHaveLength(1)
    // The new guard is listed before it gets the state. The program answers only after it has sent it.
    await send({ commit: ['after the new guard'] })
    process.kill(pid, 'SIGKILL')
    await terminal.waitUntilRestored()
    expect(terminal.readModes()).toEqual([])
  })

  test('is restored while the program is stopped, and the screen comes back', async () => {
    const { terminal, pid, send } = await start()
    await send({ commit: ['committed'] })
    terminal.type('typed text')
    await terminal.waitFor('typed text')
    process.kill(pid, 'SIGTSTP')
    await terminal.waitUntilRestored()
    process.kill(pid, 'SIGCONT')
    await terminal.waitFor(() => terminal.readCursor().text === '> typed text')
    expect(terminal.isRaw()).toBe(true)
    expect(terminal.readModes()).toContain('?2004')
    expect(terminal.readLines().filter((line) => line === 'committed')).toEqual(['committed'])
  })

  test('is restored for another program, which gets the keys', async () => {
    const { terminal, send } = await start()
    terminal.type('draft')
    await terminal.waitFor('draft')
    const done = send({ outside: 'echo outside; read -r line; echo "read $line"' })
    await terminal.waitFor(() => terminal.readLines().includes('outside'))
    expect(terminal.isRaw()).toBe(false)
    expect(terminal.readModes()).toEqual([])
    terminal.type('for the other program\r')
    await done
    await terminal.waitFor('read for the other program')
    terminal.type('!')
    await terminal.waitFor('> draft!')
    expect(terminal.isRaw()).toBe(true)
  })
})

describe('control sequences other than text', () => {
  const TMUX = '/tmp/tmux,1,0'

  test('the title is set without control characters', async () => {
    const { terminal, send } = await start()
    const titles: string[] = []
    terminal.terminal.onTitleChange((title) => titles.push(title))
    await send({ title: 'haft \u001b]0;evil\u0007 project' })
    await terminal.waitFor(() => titles.length > 0)
    expect(titles).toEqual(['haft \\u001b]0;evil\\u0007 project'])
  })

  test.each([
    ['most terminals', { TERM: 'xterm-256color' }, '\u0007\u001b]9;Done: all tests pass\u001b\\'],
    ['kitty', { TERM: 'xterm-kitty' }, '\u0007\u001b]99;i=haft:d=0;Done\u001b\\'],
    ['tmux', { TERM: 'tmux-256color', TMUX }, '\u0007\u001bPtmux;\u001b\u001b]9;Done: all tests pass\u001b\u001b\\'],
  ])('a notification is encoded for %s', async (_, variables, sequence) => {
    const { terminal, send } = await start({ variables })
    await send({ notify: ['Done', 'all tests pass'] })
    await terminal.waitFor(() => terminal.readLog().includes(sequence))
  })

  test.each([
    ['directly', {}, '\u001b]52;c;dGV4dA==\u001b\\'],
    ['through tmux', { TMUX }, '\u001bPtmux;\u001b\u001b]52;c;dGV4dA==\u001b\u001b\\\u001b\\'],
  ])('text is copied %s', async (_, variables, sequence) => {
    const { terminal, send } = await start({ variables })
    await send({ copy: 'text' })
    await terminal.waitFor(() => terminal.readLog().includes(sequence))
  })
})
