import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { testWithProgram } from '../../src/testing/test-with-program.js'
import { buildScreenProgram, listenForScreen, SHELL_SCRIPT } from './driven-screen.mjs'
import { SHELL_LINES } from './pty-terminal.mjs'
import { startTmux } from './tmux-terminal.js'

const test = testWithProgram('tmux')

let screenProgram: Awaited<ReturnType<typeof buildScreenProgram>>
beforeAll(async () => {
  screenProgram = await buildScreenProgram()
})
afterAll(() => screenProgram.remove())

async function startInTmux(columns: number, rows: number) {
  const screen = await listenForScreen()
  onTestFinished(() => screen.close())
  const terminal = startTmux(['/bin/sh', '-c', SHELL_SCRIPT, process.execPath, screenProgram.program], {
    ...{ columns, rows },
    variables: { SCREEN_SOCKET: screen.path },
  })
  await screen.connect()
  return {
    ...terminal,
    send: screen.send,
    async resize(newColumns: number, newRows: number) {
      terminal.resize(newColumns, newRows)
      await terminal.waitFor((lines) => lines.includes(`ready ${newColumns}x${newRows}`))
    },
  }
}

test('in tmux, resizing neither breaks, repeats nor reorders lines, even with a long text at the prompt', async () => {
  const { send, readLines, waitFor, resize, type } = await startInTmux(80, 24)
  const paragraphs = Array.from(
    { length: 60 },
    (_, index) =>
      `${index}: a paragraph that is longer than the window is wide, so the terminal has to wrap it into rows`,
  )
  await waitFor((lines) => lines.includes('ready 80x24'))
  await send({ open: ['an open answer that is wider than the window will be after it has been made much narrower'] })
  const text = 'a long text at the prompt, behind which the cursor is'
  type(text)
  await waitFor((lines) => lines.includes(`> ${text}`))
  for (const [index, [columns, rows]] of [
    [60, 24],
    [40, 20],
    [100, 30],
    [50, 24],
    [120, 40],
    [80, 24],
  ].entries()) {
    await send({ commit: paragraphs.slice(index * 10, index * 10 + 10) })
    await waitFor((lines) => lines.includes(paragraphs[index * 10 + 9] ?? ''))
    await resize(columns ?? 80, rows ?? 24)
  }

  const lines = readLines()
  expect(lines.filter((line) => /^\d+: /.test(line))).toEqual(paragraphs)
  expect(lines.slice(0, SHELL_LINES.length)).toEqual(SHELL_LINES)
  expect(lines.filter((line) => line.startsWith('ready '))).toEqual(['ready 80x24'])
  expect(lines.filter((line) => line.includes('a long text'))).toEqual([`> ${text}`])
})
