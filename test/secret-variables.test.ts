import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const BIN = join(import.meta.dirname, '..', 'bin', 'haft')

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'haft-secrets-'))
  mkdirSync(join(home, '.haft'))
  mkdirSync(join(home, 'project'))
})
afterEach(() => rmSync(home, { recursive: true }))

async function call(tool: string, input: object, settings: object = {}, variables: object = {}): Promise<string> {
  writeFileSync(
    join(home, '.haft/settings.json'),
    JSON.stringify({ permissions: { allow: ['Bash', 'Read'] }, ...settings }),
  )
  const keys = { ANTHROPIC_API_KEY: 'model-key', GH_TOKEN: 'gh-key' }
  const env = { PATH: process.env.PATH, HOME: home, ...keys, PLAIN: 'plain', ...variables }
  const run = promisify(execFile)(process.execPath, [BIN, 'call', tool, JSON.stringify(input)], {
    env,
    cwd: join(home, 'project'),
  })
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
  return stdout + stderr
}

const PRINT_ENVIRONMENTS_SCRIPT = `env; for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' < "$file"; done 2>/dev/null; true`

test('a command outside the sandbox finds no key in its variables, nor in those of any process of Haft', async () => {
  writeFileSync(join(home, 'project/look.sh'), PRINT_ENVIRONMENTS_SCRIPT)

  const text = await call('Bash', { command: 'sh look.sh' }, { sandbox: { enabled: false } })

  expect(text).toContain('PLAIN=plain')
  expect(text).not.toMatch(/model-key|gh-key/)
})

test.each([
  ['with', { sandbox: {} }, 'rg sh evil.sh', { RIPGREP_CONFIG_PATH: 'rgrc' }],
  ['without', { sandbox: { enabled: false } }, 'cat evil.sh', { BASH_ENV: './evil.sh' }],
])(
  'a command that runs without approval inherits no variable that names a program, %s a sandbox',
  async (_, settings, command, variables) => {
    writeFileSync(join(home, 'project/evil.sh'), '#!/bin/sh\necho EVIL\ncat "$1"\n', { mode: 0o755 })
    writeFileSync(join(home, 'project/rgrc'), '--pre=./evil.sh\n')

    const unapprovedText = await call('Bash', { command }, { permissions: {}, ...settings }, variables)
    const allowedText = await call('Bash', { command }, { permissions: { allow: ['Bash'] }, ...settings }, variables)

    expect(unapprovedText).toContain('#!/bin/sh')
    expect(unapprovedText).not.toMatch(/^EVIL/m)
    expect(allowedText).toContain('#!/bin/sh')
  },
)

test('the settings can pass a variable to commands', async () => {
  writeFileSync(join(home, 'project/show.sh'), 'echo "<$GH_TOKEN>"')

  const text = await call('Bash', { command: 'sh show.sh' }, { passVariables: ['GH_*'] })

  expect(text).toContain('<gh-key>')
})

test('Read refuses the variables of processes, even through a link', async () => {
  symlinkSync('/proc/self/environ', join(home, 'project/link'))

  for (const path of [
    '/proc/self/environ',
    '/proc/1/environ',
    '/proc/thread-self/environ',
    join(home, 'project/link'),
  ]) {
    expect(await call('Read', { file_path: path })).toMatch(/variables or the memory of a process/)
  }
})

test('a hook does not inherit keys either', async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'env > seen.txt' }] }] }

  const text = await call('Bash', { command: 'cat seen.txt' }, { hooks })

  expect(text).toContain('PLAIN=plain')
  expect(text).not.toMatch(/model-key|gh-key/)
})

test('an HTTP hook sends the keys that its configuration names, but never the key of a model', async () => {
  const authorizations: (string | undefined)[] = []
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization)
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const hook = {
    type: 'http',
    url: `http://127.0.0.1:${port}`,
    headers: { Authorization: 'Bearer $GH_TOKEN$ANTHROPIC_API_KEY' },
    allowedEnvVars: ['GH_TOKEN', 'ANTHROPIC_API_KEY'],
  }

  await call('Bash', { command: 'echo' }, { hooks: { PreToolUse: [{ hooks: [hook] }] } })

  server.close()
  expect(authorizations).toEqual(['Bearer gh-key'])
})
