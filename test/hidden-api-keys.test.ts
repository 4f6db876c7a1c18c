import { mkdir, writeFile } from 'node:fs/promises'
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
