import { readFile, stat, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeModel, run } = createHeadlessFixture()

test('a replay: model repeats the recording of --record for the same prompt in the same folder', async () => {
  const longFile = file('long.txt')
  await writeFile(longFile, 'A line of a long file.\n'.repeat(5_000))
  const task = { description: 'Look', prompt: 'Look at a.txt', subagent_type: 'Explore' }
  const turns = [
    { text: 'I look.', ...call('Read', { file_path: file('a.txt') }) },
    call('Bash', { command: 'cat a.txt long.txt' }),
    call('Agent', task),
    'The sub-agent says alpha.',
    'It says alpha.',
  ]
  const record = at('run.jsonl')

  const first = await run(['-p', 'What is in a.txt?', '--record', record, ...(await writeModel(turns))])
  const replayedOutcome = await run(['-p', 'What is in a.txt?', '--model', `replay:${record}`])
  const otherPrompt = await run(['-p', 'What is in b.txt?', '--model', `replay:${record}`])

  expect(first).toEqual({ code: 0, stdout: 'It says alpha.\n', stderr: '' })
  expect(replayedOutcome).toEqual(first)
  expect((await readFile(record, 'utf8')).match(/"type":"request"/g)).toHaveLength(turns.length)
  expect(otherPrompt).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('differs from request 1 of the recording'),
  })
  expect((await stat(record)).mode & 0o777).toBe(0o600)
})

test('--record does not overwrite an existing file', async () => {
  const { code, stderr } = await run(['-p', 'Hi', '--record', 'a.txt', ...(await writeModel(['Hello.']))])

  expect([code, stderr]).toEqual([2, `haft: --record: ${file('a.txt')} already exists; name a new file.\n`])
  expect(await readFile(file('a.txt'), 'utf8')).toBe('alpha\n')
})
