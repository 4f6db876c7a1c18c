import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { waitUntil } from '../src/testing/running-processes.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'
import { readTranscriptLines } from './lib/transcript-lines.js'

const { at, file, writeProgram, start, run } = createHeadlessFixture()

/** Appends a line, starts a command that does not end, and would append another line. */
const CODE = `
await tools.Bash({ command: 'echo first >> log; echo written' })
await tools.Read({ file_path: 'missing.txt' }).catch(() => {})
await tools.Bash({ command: 'echo second >> log; touch started; sleep 600' })
await tools.Bash({ command: 'echo third >> log' })`
const ARGS = ['--allowed-tools', 'Bash', '--settings', '{"sandbox":{"enabled":false}}']

test('after a kill inside the code of a REPL, no call runs again and the model learns what became of each', async () => {
  const model = await writeProgram(`{ turns: [use('REPL', { code: ${JSON.stringify(CODE)} }, 'repl')] }`)
  const killed = start(['-p', 'Go', '--session-id', 'crash', ...ARGS, ...model])
  await Promise.race([waitUntil(() => existsSync(file('started'))), killed.exited])
  expect([killed.stderr, existsSync(file('started'))]).toEqual([expect.any(String), true])
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')

  const reader = await writeProgram(`{ turns: [(request) => results(request).join('\\n')] }`)
  const { stdout, code } = await run(['-p', 'Go on', '--resume', 'crash', ...ARGS, ...reader])

  expect(code).toBe(0)
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringContaining('Haft ended while this call was running, so its result is not known.'),
    'It had made these calls. Do not repeat those that have ended.',
    '- Bash({"command":"echo first >> log; echo written"}) ended: written',
    expect.stringMatching(/^- Read\(\{"file_path":"missing.txt"\}\) failed: .*missing.txt/),
    '- Bash({"command":"echo second >> log; touch started; sleep 600"}) was running. It is not known whether it took effect.',
  ])
  expect(readFileSync(file('log'), 'utf8')).toBe('first\nsecond\n')
})

test('nested calls are nested in the transcript, in stream-json and in the text of haft -p', async () => {
  const code = `const { lines } = await tools.Read({ file_path: 'a.txt' }); lines[0]`
  const turns = `{ turns: [use('REPL', { code: ${JSON.stringify(code)} }, 'repl'), 'Done.'] }`
  const args = ['-p', 'Go', ...ARGS]

  const streamed = await run([
    ...args,
    '--session-id',
    's',
    '--output-format',
    'stream-json',
    ...(await writeProgram(turns)),
  ])
  const printed = await run([...args, '--verbose', ...(await writeProgram(turns))])

  const lines = streamed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const nestedLines = lines.filter(({ parent_tool_use_id: parent }) => parent === 'repl')
  expect(nestedLines).toMatchObject([
    { type: 'assistant', message: { content: [{ type: 'tool_use', id: 'repl.1', name: 'Read' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'repl.1' }] } },
  ])
  expect(await readTranscriptLines(at('home'), at('project'), 's')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'nested-call-started', toolUseId: 'repl.1', parentToolUseId: 'repl' }),
      expect.objectContaining({ type: 'nested-call-ended', toolUseId: 'repl.1', parentToolUseId: 'repl' }),
    ]),
  )
  const shownLines = printed.stderr.split('\n')
  const replIndex = shownLines.findIndex((line) => /^\S.*const \{ lines/.test(line))
  expect(shownLines.slice(replIndex, replIndex + 2)).toEqual([
    expect.stringMatching(/^\S.*const \{ lines/),
    expect.stringMatching(/^ +\S.*a\.txt/),
  ])
})
