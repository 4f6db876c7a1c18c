import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findProcessesWith, isSupervisor } from '../../testing/running-processes.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { createTerminalPort, type ManagedTerminalPort } from './create-terminal-port.js'

const cwd = mkdtempSync(join(tmpdir(), 'haft-terminal-'))
const GENEROUS_WAIT = { signal: new AbortController().signal, timeoutMs: 170_000 }
/** A variable that every process started by a test inherits. */
const testMark = `HAFT_TERMINAL_TEST=${cwd}`
let port: ManagedTerminalPort

beforeEach(() => {
  port = createTerminalPort({ environment: { ...process.env, HAFT_TERMINAL_TEST: cwd } })
})
afterEach(async () => {
  await port.dispose()
  expect(findRemainingProcesses()).toEqual([])
})
afterAll(() => rmSync(cwd, { recursive: true }))

function findRemainingProcesses(): readonly number[] {
  // The supervisor of this process does not count as a child.
  return findProcessesWith(testMark).filter((pid) => pid !== process.pid && !isSupervisor(pid))
}

describe('a terminal session', () => {
  test('runs neither a start-up file nor an exported function of the environment', async () => {
    writeFileSync(join(cwd, 'start.sh'), 'echo started by BASH_ENV\n')
    const environment = {
      ...process.env,
      HAFT_TERMINAL_TEST: cwd,
      BASH_ENV: join(cwd, 'start.sh'),
      'BASH_FUNC_hostname%%': '() { echo exported function; }',
    }
    await port.dispose()
    port = createTerminalPort({ environment })
    const session = await port.open('hostname; echo end', { cwd })

    expect(await session.waitFor('absent text', GENEROUS_WAIT)).toBe(false)
    const { text } = await session.screen()
    expect(text).toContain('end')
    expect(text).not.toMatch(/started by BASH_ENV|exported function/)
  })

  testWithProgram('less')('can show a page, find a text and jump to the end in less', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index + 1}`).join('\n')
    writeFileSync(join(cwd, 'long.txt'), `${lines}\n`)
    const session = await port.open('less long.txt', { cwd, columns: 40, rows: 10 })

    expect(await session.waitFor('line 9', GENEROUS_WAIT)).toBe(true)
    expect((await session.screen()).text.split('\n').slice(0, 2)).toEqual(['line 1', 'line 2'])
    await session.send('/line 250\r')
    expect(await session.waitFor('line 250', GENEROUS_WAIT)).toBe(true)
    await session.send('G')
    expect(await session.waitFor('line 500', GENEROUS_WAIT)).toBe(true)
    await session.send('q')
    expect(await session.waitFor('absent text', GENEROUS_WAIT)).toBe(false)
    expect((await session.screen()).exit).toEqual({ exitCode: 0 })
  })

  testWithProgram('vi', 'vim')('can insert a text, save it and quit in vi', async () => {
    const session = await port.open('vi -u NONE note.txt', { cwd, columns: 60, rows: 12 })
    expect(await session.waitFor('note.txt', GENEROUS_WAIT)).toBe(true)
    await session.send('ihello from vi')
    expect(await session.waitFor('hello from vi', GENEROUS_WAIT)).toBe(true)
    await session.send('\u001b')
    await session.screen()
    await session.send(':wq\r')
    expect(await session.waitFor('absent text', GENEROUS_WAIT)).toBe(false)

    expect(readFileSync(join(cwd, 'note.txt'), 'utf8')).toBe('hello from vi\n')
    expect((await session.screen()).exit?.exitCode).toBe(0)
  })

  testWithProgram('python3')('can evaluate input and be interrupted at a Python prompt', async () => {
    const session = await port.open('python3 -q', { cwd })
    expect(await session.waitFor('>>>', GENEROUS_WAIT)).toBe(true)
    await session.send('print(6 * 7)\r')
    expect(await session.waitFor(/\n42\s*\n>>>/, GENEROUS_WAIT)).toBe(true)
    await session.send('while True: pass\r\r')
    await session.screen()
    await session.send('\u0003')
    expect(await session.waitFor('KeyboardInterrupt', GENEROUS_WAIT)).toBe(true)
  })
})

test('a terminal session shows its screen without trailing spaces, and the position of the cursor', async () => {
  const session = await port.open(`printf 'one  \\nt\\033[31mw\\033[0mo'; read x`, { cwd })
  await session.waitFor('two', GENEROUS_WAIT)

  expect(await session.screen()).toEqual({ text: 'one\ntwo', cursor: { row: 1, column: 3 } })
})

test('waiting for a text in a terminal finds it even if it is wrapped at the edge of the screen', async () => {
  const session = await port.open(`printf 'abcdefghij klmno'; read x`, { cwd, columns: 8, rows: 4 })

  expect(await session.waitFor('ghij klm', GENEROUS_WAIT)).toBe(true)
})

test('a terminal session reports the exit of its program, and its last screen can still be read', async () => {
  const session = await port.open('echo over; exit 3', { cwd })
  await session.waitFor('absent text', GENEROUS_WAIT)

  expect(await session.screen()).toMatchObject({ text: 'over', exit: { exitCode: 3 } })
  await expect(session.send('x')).rejects.toThrow('has ended')
})

test('waiting for a text in a terminal ends when it is aborted or times out', async () => {
  const abort = new AbortController()
  const session = await port.open('echo ready; read x', { cwd })
  await session.waitFor('ready', GENEROUS_WAIT)
  const waitPromise = session.waitFor('never', { signal: abort.signal, timeoutMs: 60_000 })
  abort.abort()

  expect(await waitPromise).toBe(false)
  expect(await session.waitFor('never', { ...GENEROUS_WAIT, timeoutMs: 1 })).toBe(false)
})

test('closing a terminal session also ends processes that left the session, are stopped or ignore SIGHUP', async () => {
  const command = [
    `setsid bash -c 'trap "" HUP TERM; echo hidden > hidden; exec sleep 1000' < /dev/null &`,
    `bash -c 'kill -STOP $$' &`,
    `trap '' HUP; until [ -e hidden ]; do :; done; echo ready; while :; do read -t 1000 x; done`,
  ].join('\n')
  const session = await port.open(command, { cwd })
  expect(await session.waitFor('ready', GENEROUS_WAIT)).toBe(true)
  expect(findRemainingProcesses().length).toBeGreaterThanOrEqual(3)

  await session.close()

  expect(findRemainingProcesses()).toEqual([])
  expect(port.get(session.id)).toBeUndefined()
})

test('a program that prints endlessly to a terminal is paused and still reacts to input', async () => {
  const session = await port.open('yes', { cwd })
  expect(await session.waitFor('y', GENEROUS_WAIT)).toBe(true)
  expect((await session.screen()).text).toContain('y\ny\ny')
  await session.send('\u0003')
  expect(await session.waitFor('absent text', GENEROUS_WAIT)).toBe(false)
})

test('the terminal port lists the open terminals and limits their number', async () => {
  for (let count = 0; count < 8; count++) await port.open('read x', { cwd })

  expect(port.list()).toHaveLength(8)
  expect(port.list()[0]).toEqual({ id: 'terminal-1', command: 'read x' })
  await expect(port.open('read x', { cwd })).rejects.toThrow('Close one first: terminal-1, ')
})

test('opening a terminal fails in a missing folder and after the port was closed', async () => {
  await expect(port.open('true', { cwd: join(cwd, 'nowhere') })).rejects.toThrow('does not exist')
  await port.dispose()
  await expect(port.open('true', { cwd })).rejects.toThrow('is closed')
})
