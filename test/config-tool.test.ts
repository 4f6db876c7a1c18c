import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { HaftProcess, Line } from './lib/haft-process.js'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, writeModel, writeProgram, run, start } = createHeadlessFixture()

const INTERNAL = { HAFT_INTERNAL: '1', HAFT_REPL_MODE: '0' }
const DRIVEN = [
  ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
  ...['--permission-prompt-tool', 'stdio'],
]
const userFile = () => at('home/.haft/settings.json')

async function readUntil(process: HaftProcess, type: string): Promise<Line> {
  for (;;) {
    const line = await process.next()
    if (line.type === type) return line
  }
}

/** Runs one call of Config and returns its result, if nobody can be asked. */
async function callConfig(input: object, args: readonly string[] = []) {
  const program = await writeProgram(`[use('Config', ${JSON.stringify(input)}), (request) => results(request).at(-1)]`)
  return run(['-p', 'Go', ...args, ...program], { variables: INTERNAL })
}

test('Config reads a setting and names its file, without a question', async () => {
  await mkdir(at('home/.haft'))
  await writeFile(userFile(), JSON.stringify({ theme: 'light' }))

  expect((await callConfig({ setting: 'theme' })).stdout).toContain(`theme: "light" (from ${userFile()})`)
  expect((await callConfig({ setting: 'model' }, ['--settings', '{"model":"claude-x"}'])).stdout).toContain(
    'model: "claude-x" (from --settings)',
  )
})

test('a change is saved after the user has seen the old and the new value', async () => {
  const driven = start(
    [...DRIVEN, ...(await writeModel([call('Config', { setting: 'theme', value: 'light' }), 'Done.']))],
    INTERNAL,
  )
  driven.send({ type: 'user', message: { role: 'user', content: 'Light colours' } })
  const question = await readUntil(driven, 'control_request')
  expect(question.request).toMatchObject({ subtype: 'can_use_tool', tool_name: 'Config' })
  expect(JSON.stringify(question.request)).toContain('from the default to \\"light\\"')
  expect(existsSync(userFile())).toBe(false)
  const response = { subtype: 'success', request_id: question.request_id, response: { behavior: 'allow' } }
  driven.send({ type: 'control_response', response })
  await readUntil(driven, 'result')
  await driven.finish()

  expect(JSON.parse(await readFile(userFile(), 'utf8'))).toEqual({ theme: 'light' })
})

test.each([
  ['in bypass mode', ['--permission-mode', 'bypassPermissions'], { ...INTERNAL, HAFT_SANDBOX: '1' }],
  ['by an allow rule', ['--allowed-tools', 'Config'], INTERNAL],
  ['in auto mode', ['--permission-mode', 'auto'], INTERNAL],
  ['by a hook', ['--settings', JSON.stringify({ hooks: { PreToolUse: [createAllowingHook()] } })], INTERNAL],
])('without a user, nothing is changed %s', async (_, args, variables) => {
  const program = await writeProgram(
    `[use('Config', { setting: 'theme', value: 'light' }), (request) => results(request).at(-1)]`,
  )

  const { stdout } = await run(['-p', 'Light colours', ...args, ...program], { variables })

  expect(stdout).toContain('Change the setting theme from the default to "light"?')
  expect(stdout).toContain('There is no user to ask')
  expect(existsSync(userFile())).toBe(false)
})

function createAllowingHook() {
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }
  return { matcher: 'Config', hooks: [{ type: 'command', command: `echo '${JSON.stringify(answer)}'` }] }
}

test.each(['permissions', 'hooks', 'sandbox', 'mcpServers', 'env', 'providers', 'web', 'passVariables'])(
  'the setting %s cannot be changed',
  async (setting) => {
    const { stdout } = await callConfig({ setting, value: 'true' })
    expect(stdout).toContain(`The setting ${setting} cannot be changed here`)
  },
)
