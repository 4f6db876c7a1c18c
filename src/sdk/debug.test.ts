import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { query } from './query.js'

test('debugFile lists the events of calls without their contents', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-debug-'))
  const script = join(folder, 'script.json')
  await writeFile(
    script,
    JSON.stringify({ turns: [{ calls: [{ name: 'Read', input: { file_path: script } }] }, 'Ok.'] }),
  )
  const env = { PATH: process.env.PATH, HOME: folder }
  const options = { cwd: folder, env, model: `scripted:${script}`, debugFile: 'debug.jsonl' }

  for await (const _ of query({ prompt: 'Read', options }));

  const lines = (await readFile(join(folder, 'debug.jsonl'), 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).type)).toContain('call-ended')
  expect(lines.join()).not.toContain('script.json')
  await rm(folder, { recursive: true })
})
