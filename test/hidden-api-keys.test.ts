import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { run, at } = createHeadlessFixture()
const variables = { ANTHROPIC_API_KEY: 'secret-1', OPENAI_API_KEY: 'secret-2', OTHER_KEY: 'secret-3', PLAIN: 'seen' }
const ECHO_KEYS = JSON.stringify({ command: 'echo "$ANTHROPIC_API_KEY,$OPENAI_API_KEY,$OTHER_KEY,$PLAIN."' })
const TOUCH_AND_ECHO_KEYS = JSON.stringify({
  command: 'touch made; echo "$ANTHROPIC_API_KEY,$OPENAI_API_KEY,$OTHER_KEY,$PLAIN."',
})

async function writeSettings(value: object) {
  await mkdir(at('home', '.haft'))
  await writeFile(at('home', '.haft', 'settings.json'), JSON.stringify(value))
}

test('commands do not get the API keys of models, because their output goes to the model', async () => {
  await writeSettings({
    providers: { mine: { type: 'openai', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'OTHER_KEY' } },
  })

  const { stdout } = await run(['call', 'Bash', TOUCH_AND_ECHO_KEYS, '--allowed-tools', 'Bash'], { variables })

  expect(stdout).toBe(',,,seen.\n')
})

test('a key that the settings name explicitly is passed to commands that need approval', async () => {
  await writeSettings({ env: { OPENAI_API_KEY: 'for commands' } })

  const { stdout } = await run(['call', 'Bash', TOUCH_AND_ECHO_KEYS, '--allowed-tools', 'Bash'], { variables })

  expect(stdout).toBe(',for commands,,seen.\n')
})

test('commands that run without a question get neither keys nor other variables of the user', async () => {
  await writeSettings({ env: { OPENAI_API_KEY: 'for commands' } })

  const { stdout } = await run(['call', 'Bash', ECHO_KEYS], { variables })

  expect(stdout).toBe(',,,.\n')
})

/** Elsewhere, the system passes core dumps to a program, which stores them outside the project. */
const writesCoreDumps =
  process.platform === 'linux' && readFileSync('/proc/sys/kernel/core_pattern', 'utf8') === 'core\n'

test.skipIf(!writesCoreDumps)('a crash does not write the API keys into the project', async () => {
  const crash = JSON.stringify({ command: 'touch made; kill -ABRT $PPID; sleep 1' })
  const script = 'ulimit -c unlimited; exec "$@"'
  const args = [process.execPath, resolve('bin/haft'), 'call', 'Bash', crash, '--allowed-tools', 'Bash']

  const { signal } = spawnSync('/bin/sh', ['-c', script, 'sh', ...args], {
    cwd: at('project'),
    env: { PATH: process.env.PATH, HOME: at('home'), ANTHROPIC_API_KEY: 'key-in-the-memory' },
  })

  expect(signal).toBe('SIGABRT')
  const names = readdirSync(at('project')).filter((name) => name.startsWith('core'))
  for (const name of names) expect(readFileSync(at('project', name)).includes('key-in-the-memory')).toBe(false)
})
