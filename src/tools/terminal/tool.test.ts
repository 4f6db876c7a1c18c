import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTerminalPort, type ManagedTerminalPort } from '../../ports/terminal/create-terminal-port.js'
import { callTool } from '../../testing/call-tool.js'
import { TerminalTool } from './tool.js'

let terminal: ManagedTerminalPort

beforeEach(() => {
  terminal = createTerminalPort({ environment: process.env })
})
afterEach(() => terminal.dispose())

const call = (input: object) => callTool(TerminalTool, input, { terminal, cwd: tmpdir() })

test('a program can be started, typed into, waited for and closed', async () => {
  const command = 'read -p "name? " name; echo "hello $name"; read wait'
  expect(await call({ action: 'start', command })).toContain('Session terminal-1, cursor at')
  expect(await call({ action: 'wait', session_id: 'terminal-1', text: 'name?' })).toMatch(/^name\?/)
  await call({ action: 'send', session_id: 'terminal-1', keys: ['you', '<Enter>'] })
  expect(await call({ action: 'wait', session_id: 'terminal-1', text: 'hello you' })).toBe(
    'name? you\nhello you\n\nSession terminal-1, cursor at row 3, column 1.',
  )
  expect(await call({ action: 'close', session_id: 'terminal-1' })).toContain('Session terminal-1 is closed.')
  expect(terminal.list()).toEqual([])
})

test('the result says if the awaited text did not appear, and how the program ended', async () => {
  await call({ action: 'start', command: 'exit 4' })
  expect(await call({ action: 'wait', session_id: 'terminal-1', text: 'x' })).toBe(
    '(The screen is empty.)\n\nThe text to wait for did not appear. The program has ended with exit code 4. Session terminal-1, cursor at row 1, column 1.',
  )
})

test('an unknown session is refused, and the error lists the open sessions', async () => {
  await expect(call({ action: 'read', session_id: 'x' })).rejects.toThrow('No session is open; start one.')
  await call({ action: 'start', command: 'read x' })
  await expect(call({ action: 'read', session_id: 'x' })).rejects.toThrow('Open sessions: terminal-1 (read x).')
})

test.each([
  [{ action: 'start' }, 'The action "start" needs command.'],
  [{ action: 'start', command: '' }, 'The action "start" needs command.'],
  [{ action: 'start', command: 'a\0b' }, 'NUL'],
  [{ action: 'send', session_id: 'x' }, 'The action "send" needs keys.'],
  [{ action: 'send', keys: ['x'] }, 'The action "send" needs session_id.'],
  [{ action: 'send', session_id: 'x', keys: ['<Nope>'] }, 'Unknown key'],
  [
    { action: 'send', session_id: 'x', keys: ['rm'], command: 'ls' },
    'The action "send" does not accept command. Leave it out.',
  ],
  [{ action: 'wait', session_id: 'x' }, 'The action "wait" needs text.'],
  [{ action: 'read', session_id: 'x', command: 'ls' }, 'The action "read" does not accept command. Leave it out.'],
  [{ action: 'close' }, 'The action "close" needs session_id.'],
  [{ action: 'start', command: 'x', rows: 100_000 }, 'rows'],
])('invalid input is refused: %j', async (input, message) => {
  await expect(call(input)).rejects.toThrow(message)
})

describe('permission', () => {
  const check = (input: object) => TerminalTool.checkPermissions(input as never).behavior
  test('is not needed to read, wait or close', () => {
    for (const action of ['read', 'wait', 'close']) expect(check({ action, session_id: 'x' })).toBe('allow')
  })
  test('is needed to start programs and send keys, as for commands', () => {
    expect(check({ action: 'start', command: 'ls' })).toBe('passthrough')
    expect(check({ action: 'send', session_id: 'x', keys: ['ls', '<Enter>'] })).toBe('passthrough')
    for (const action of ['start', 'send', 'close'] as const) expect(TerminalTool.isReadOnly({ action })).toBe(false)
    expect(TerminalTool.resources({ action: 'send', session_id: 'x' })).toEqual({ unknown: true })
  })
})

test('the classifier receives the command of start, but no keys', () => {
  expect(TerminalTool.toAutoClassifierInput({ action: 'start', command: 'npm test' })).toBe('npm test')
  expect(TerminalTool.toAutoClassifierInput({ action: 'send', session_id: 'terminal-1', keys: ['m -rf ~'] })).toBe('')
})
