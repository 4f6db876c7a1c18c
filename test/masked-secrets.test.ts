import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, run, writeModel, writeProgram } = createHeadlessFixture()
const TOKEN = 'ghp_Tn5GhZ0pQ4xW9s'
const MODEL_KEY = 'my "model" key\\1'
const variables = { GH_TOKEN: TOKEN, OPENAI_API_KEY: MODEL_KEY, SHORT_TOKEN: 'abc1234' }
/** So long that the token crosses the ends of chunks, which are at most 64 KiB. */
const LONG_LINE_COUNT = 60_000

/** Files of the project that contain the secrets: a short one, one for a long result, and one for a spill file. */
function writeSecrets(): void {
  writeFileSync(file('short.txt'), `token=${TOKEN}\nkey=${MODEL_KEY}\nabc1234\n`)
  writeFileSync(file('long.txt'), `${TOKEN} ${'x'.repeat(60)}\n`.repeat(1_000))
  writeFileSync(file('huge.txt'), `${TOKEN}\n`.repeat(LONG_LINE_COUNT))
}

/** All files below a folder, by their path in it. */
function readAll(folder: string): readonly (readonly [path: string, text: string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => [path, readFileSync(join(folder, path), 'latin1')])
}

const findFilesWith = (text: string) =>
  readAll(at('home', '.haft'))
    .filter(([path, content]) => !path.startsWith('cache') && content.includes(text))
    .map(([path]) => path.replace(/^.*\//, '').replace(/^[0-9a-f-]{36}/, 'transcript'))

async function runCalls(settings: object) {
  writeSecrets()
  const script = `{ turns: [
    use('Bash', { command: 'touch made; echo "$GH_TOKEN"; cat short.txt' }, 'printed'),
    use('Read', { file_path: '${file('short.txt')}' }, 'read'),
    use('Bash', { command: 'cat long.txt' }, 'long'),
    use('Bash', { command: 'cat huge.txt' }, 'huge'),
    use('Bash', { command: 'cat short.txt >&2; exit 3' }, 'failed'),
    use('Read', { file_path: '${TOKEN}/missing' }, 'missing'),
    (request) => JSON.stringify(results(request)),
  ] }`
  const { stdout, stderr } = await run(
    [
      ...['-p', 'Print them', '--output-format', 'stream-json', '--include-events', '--allowed-tools', 'Bash'],
      ...['--settings', JSON.stringify({ passVariables: ['GH_TOKEN'], ...settings }), ...(await writeProgram(script))],
    ],
    { variables },
  )
  const lines: { type: string; result?: string }[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const receivedTexts: readonly string[] = JSON.parse(lines.find(({ type }) => type === 'result')?.result ?? '[]')
  return { receivedTexts, stdout, stderr }
}

test('with maskSecrets, no result, event, transcript or result file contains a secret', async () => {
  const { receivedTexts, stdout, stderr } = await runCalls({ maskSecrets: true })

  const [printed, read, long, huge, failed, missing] = receivedTexts
  expect(printed).toBe('[masked GH_TOKEN]\ntoken=[masked GH_TOKEN]\nkey=[masked OPENAI_API_KEY]\nabc1234')
  expect(read).toBe('1\ttoken=[masked GH_TOKEN]\n2\tkey=[masked OPENAI_API_KEY]\n3\tabc1234')
  expect([long, huge, failed, missing]).toEqual(Array(4).fill(expect.stringContaining('[masked GH_TOKEN]')))
  // The model itself wrote the token in the input of the last call, and the input is shown as it is.
  const shownLines = stdout.split('\n').filter((line) => !line.includes('"tool_use"') && !line.includes('call-queued'))
  expect(shownLines.filter((line) => line.includes(TOKEN) || line.includes('my \\"model\\"'))).toEqual([])
  expect(stdout).toContain('call-progressed')
  expect(stderr).not.toContain(TOKEN)
  expect(findFilesWith(TOKEN)).toEqual([])
  expect(findFilesWith(JSON.stringify(MODEL_KEY).slice(1, -1))).toEqual([])
  const storedHuge = readAll(at('home', '.haft')).find(([path]) => path.endsWith('/huge.txt'))?.[1]
  expect(storedHuge).toBe('[masked GH_TOKEN]\n'.repeat(LONG_LINE_COUNT))
})

test('without maskSecrets, results, events and files are unchanged', async () => {
  const { receivedTexts, stdout } = await runCalls({})

  expect(receivedTexts[0]).toBe(`${TOKEN}\ntoken=${TOKEN}\nkey=${MODEL_KEY}\nabc1234`)
  expect(stdout).not.toContain('[masked')
  expect(findFilesWith('[masked')).toEqual([])
  expect(findFilesWith(TOKEN).toSorted()).toEqual(['huge.txt', 'long.txt', 'replacements.jsonl', 'transcript.jsonl'])
})

test('a prompt reaches the model as it is, and its transcript line is masked', async () => {
  const script = `{ turns: [(request) => messagesText(request)] }`
  const args = ['--settings', '{"maskSecrets":true}', ...(await writeProgram(script))]

  const { stdout } = await run(['-p', `Use ${TOKEN}`, ...args], { variables })

  expect(stdout).toContain(TOKEN)
  expect(findFilesWith(TOKEN)).toEqual([])
  expect(findFilesWith('Use [masked GH_TOKEN]')).toEqual(['transcript.jsonl'])
})

test('a session whose secrets are words of the transcript format can be resumed', async () => {
  writeSecrets()
  const turns = [{ calls: [{ name: 'Read', input: { file_path: file('a.txt') } }] }, 'Done.']
  const words = { A_TOKEN: 'message-added', B_TOKEN: 'tool_result', C_TOKEN: 'assistant', D_TOKEN: 'session-started' }
  const args = ['--settings', '{"maskSecrets":true}', '--session-id', 'words']
  await run(['-p', 'Read it', ...args, ...(await writeModel(turns))], { variables: words })

  const { stdout, stderr } = await run(
    ['-p', 'Again', '--resume', 'words', ...(await writeProgram('{ turns: [(request) => results(request).join()] }'))],
    { variables: words },
  )

  expect({ stdout, stderr }).toEqual({ stdout: '1\talpha\n', stderr: '' })
})

test('hooks and the output of a background command are masked', async () => {
  writeSecrets()
  const hook = { type: 'command', command: `cat >> ${at('hook-input')}` }
  const settings = { maskSecrets: true, passVariables: ['GH_TOKEN'], hooks: { PostToolUse: [{ hooks: [hook] }] } }
  const script = `{ turns: [
    use('Bash', { command: 'touch made; printf "%s" "$GH_TOKEN"', run_in_background: true }),
    (request) => use('TaskOutput', { task_id: /task (\\S+)\\./.exec(results(request)[0])[1] }),
    use('Read', { file_path: '${file('short.txt')}' }),
    (request) => results(request).join('\\n'),
  ] }`
  const args = ['--allowed-tools', 'Bash', '--settings', JSON.stringify(settings), ...(await writeProgram(script))]

  const { stdout } = await run(['-p', 'Go', ...args], { variables })

  expect(stdout).toContain('[masked GH_TOKEN]')
  expect(stdout).not.toContain(TOKEN)
  const hookInput = readFileSync(at('hook-input'), 'utf8')
  expect(hookInput).toContain('[masked GH_TOKEN]')
  expect(hookInput).not.toContain(TOKEN)
})
