import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { file, writeModel, run } = createHeadlessFixture()

const MISSING_PROGRAM = './no-such-program.sh'
const createSettingsArgs = (hooks: object) => ['--settings', JSON.stringify({ hooks })]
const createHookArgs = (event: string, hook: object) => createSettingsArgs({ [event]: [{ hooks: [hook] }] })
const createCommandHook = (text: string) => ({ type: 'command', command: text })
const createEchoHook = (answer: object) => createCommandHook(`echo '${JSON.stringify(answer)}'`)
const readCall = () => call('Read', { file_path: file('a.txt') })

describe('a failing hook is reported, and the call continues', () => {
  test.each([
    [
      'PreToolUse',
      createCommandHook(MISSING_PROGRAM),
      /The PreToolUse hook command \.\/no-such-program\.sh failed: .*no-such-program/,
    ],
    ['PreToolUse', createCommandHook('exit 1'), /The PreToolUse hook command exit 1 failed: It exited with code 1\./],
    ['PostToolUse', createCommandHook('exit 1'), /The PostToolUse hook command exit 1 failed: It exited with code 1\./],
    [
      'PreToolUse',
      createCommandHook('echo "{oops"'),
      /The PreToolUse hook .* returned an invalid answer: The output looks like JSON/,
    ],
    [
      'Stop',
      { ...createCommandHook('exit 1'), async: true },
      /The Stop hook command exit 1 failed: It exited with code 1\./,
    ],
  ])('with haft -p, for the event %s and the hook %j', async (event, hook, expectedReport) => {
    const { code, stdout, stderr } = await run([
      '-p',
      'Go',
      ...createHookArgs(event, hook),
      ...(await writeModel([readCall(), 'Done.'])),
    ])

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' })
    expect(stderr).toMatch(expectedReport)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('with haft -p, if the model of the hook answers neither yes nor no', async () => {
    const hook = createHookArgs('PreToolUse', { type: 'prompt', prompt: 'Is it safe?' })
    const { stdout, stderr } = await run([
      '-p',
      'Go',
      ...hook,
      ...(await writeModel([readCall(), 'Bananas.', 'Done.'])),
    ])

    expect(stdout).toBe('Done.\n')
    expect(stderr).toMatch(/^haft: The PreToolUse hook .* failed: The model answered neither yes nor no: Bananas\.\n$/)
  })

  test('with haft -p, in a sub-agent', async () => {
    const turns = [call('Agent', { description: 'look', prompt: 'Look around.' }), 'Done.']
    const conversations = [{ opening: 'Look around.', turns: [readCall(), 'I looked.'] }]
    const guardArgs = createSettingsArgs({
      PreToolUse: [{ matcher: 'Read', hooks: [createCommandHook(MISSING_PROGRAM)] }],
    })
    const { stderr } = await run(['-p', 'Go', ...guardArgs, ...(await writeModel(turns, { conversations }))])

    expect(stderr).toMatch(/^haft: The PreToolUse hook command \.\/no-such-program\.sh failed: [^\n]+\n$/)
  })

  test('with haft call and with haft run', async () => {
    const input = { file_path: file('a.txt') }
    const callOutcome = await run([
      'call',
      'Read',
      JSON.stringify(input),
      ...createHookArgs('PreToolUse', createCommandHook(MISSING_PROGRAM)),
    ])
    const line = { type: 'tool_use', id: 'a', name: 'Read', input }
    const runOutcome = await run(['run', ...createHookArgs('PreToolUse', createCommandHook(MISSING_PROGRAM))], {
      input: `${JSON.stringify(line)}\n`,
    })

    for (const { code, stdout, stderr } of [callOutcome, runOutcome]) {
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('alpha') })
      expect(stderr).toMatch(/^haft: The PreToolUse hook command \.\/no-such-program\.sh failed: [^\n]+\n$/)
    }
  })

  test('with stream-json output', async () => {
    const args = [
      '--output-format',
      'stream-json',
      '--include-hook-events',
      ...createHookArgs('PostToolUse', createCommandHook('exit 1')),
    ]
    const { stdout, stderr } = await run(['-p', 'Go', ...args, ...(await writeModel([readCall(), 'Done.']))])
    const lines = stdout.trimEnd().split('\n')

    expect(stderr).toBe('')
    const reportLines = lines
      .map((line) => JSON.parse(line))
      .filter(({ subtype }) => /hook_reported|informational/.test(subtype))
    expect(reportLines).toMatchObject([
      { subtype: 'hook_reported', outcome: 'failed', tool_name: 'Read', message: 'It exited with code 1.' },
      { subtype: 'informational', level: 'warning', content: expect.stringContaining('PostToolUse') },
    ])
  })
})

test.each(['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'])(
  'the run waits for an async %s hook',
  async (event) => {
    const slowHookArgs = createHookArgs(event, { ...createCommandHook('sleep 1; echo done > written'), async: true })
    const { code, stderr } = await run(['-p', 'Go', ...slowHookArgs, ...(await writeModel([readCall(), 'Done.']))])

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await readFile(file('written'), 'utf8')).toBe('done\n')
  },
)

test('hooks receive the end of a background command that ends with the run', async () => {
  const hook = createHookArgs('TaskCompleted', createCommandHook(`cat > ${file('payload')}`))
  const turns = [call('Bash', { command: 'sleep 1000', run_in_background: true }), 'Done.']
  await run(['-p', 'Go', '--allowed-tools', 'Bash', ...hook, ...(await writeModel(turns))])

  expect(JSON.parse(await readFile(file('payload'), 'utf8'))).toMatchObject({
    ...{ hook_event_name: 'TaskCompleted', task_type: 'shell' },
    task_status: expect.stringMatching(/stopped|killed|failed/),
  })
})

test.each(['PreToolUse', 'PostToolUse', 'SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'])(
  'the systemMessage of a %s hook reaches the user',
  async (event) => {
    const hook = createHookArgs(event, createEchoHook({ systemMessage: 'Remember to run the tests.' }))
    const { stderr } = await run(['-p', 'Go', ...hook, ...(await writeModel([readCall(), 'Done.']))])

    expect(stderr).toBe('haft: Remember to run the tests.\n')
  },
)
