import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test as vitestTest } from 'vitest'
import { testWithProgram } from '../../testing/test-with-program.js'
import { SandboxFixture } from '../sandbox/fixture-sandbox.js'
import { createTerminalPort, type ManagedTerminalPort } from './create-terminal-port.js'

const test = testWithProgram('bwrap', 'bubblewrap')
const GENEROUS_WAIT = { signal: new AbortController().signal, timeoutMs: 170_000 }

let fixture: SandboxFixture
let port: ManagedTerminalPort
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(async () => {
  await port.dispose()
  await fixture.remove()
})

function openPort(settings: Parameters<SandboxFixture['openSandbox']>[0], options = {}): ManagedTerminalPort {
  port = createTerminalPort({ environment: process.env, sandbox: fixture.openSandbox(settings, options) })
  return port
}

test('a sandboxed terminal can write only to the working folder and sees only its own processes', async () => {
  const outsidePath = join(fixture.root, 'outside')
  const command = `echo in > inside; echo out > ${outsidePath}; ls /proc | grep -c '^[0-9]*$'; echo done; read x; exit 7`
  const session = await openPort({ enabled: true }).open(command, { cwd: fixture.project })

  expect(await session.waitFor('done', GENEROUS_WAIT)).toBe(true)
  expect((await session.screen()).text).toMatch(/Read-only file system\n\d\ndone$/)
  expect([readFileSync(join(fixture.project, 'inside'), 'utf8'), existsSync(outsidePath)]).toEqual(['in\n', false])
  await session.send('\r')
  expect(await session.waitFor('absent text', GENEROUS_WAIT)).toBe(false)
  expect((await session.screen()).exit).toEqual({ exitCode: 7 })
  await session.close()
  expect(readdirSync(fixture.project)).toEqual(['inside'])
})

testWithProgram('python3')(
  'an interrupt reaches the program in a sandboxed terminal, and not the sandbox',
  async () => {
    const session = await openPort({ enabled: true }).open('python3 -q', { cwd: fixture.project })

    expect(await session.waitFor('>>>', GENEROUS_WAIT)).toBe(true)
    await session.send('while True: pass\r\r')
    await session.screen()
    await session.send('\u0003')
    expect(await session.waitFor('KeyboardInterrupt', GENEROUS_WAIT)).toBe(true)
    await session.send('print(6 * 7)\r')
    expect(await session.waitFor(/\n42\s*\n>>>/, GENEROUS_WAIT)).toBe(true)
  },
)

test('a sandboxed terminal has a working /dev/tty and a system call filter', async () => {
  const command = 'echo seen > /dev/tty; grep Seccomp: /proc/self/status; echo done; read x'
  const session = await openPort({ enabled: true }).open(command, { cwd: fixture.project })

  await session.waitFor('done', GENEROUS_WAIT)
  expect((await session.screen()).text).toMatch(/^seen\nSeccomp:\s+2\ndone$/)
})

vitestTest('without a sandbox, no terminal opens if the settings require one', async () => {
  const opening = openPort({ isRequired: true }, { platform: 'other' }).open('true', { cwd: fixture.project })

  await expect(opening).rejects.toThrow('sandbox.required')
})

vitestTest('a sandbox that is enabled and missing is announced on the screen', async () => {
  writeFileSync(join(fixture.project, 'file'), '')
  const session = await openPort({ enabled: true }, { platform: 'other' }).open('ls; read x', { cwd: fixture.project })

  expect(await session.waitFor('file', GENEROUS_WAIT)).toBe(true)
  expect((await session.screen()).text).toContain('This command ran without a sandbox')
})
