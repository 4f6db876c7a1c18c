import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Message } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { FILE_TOOLS } from '../src/testing/files/file-calls.js'
import { call, textOf } from './runtime-fixtures.js'

const REQUEST_COUNT = 50
let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-file-results-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('long search results are sent again byte for byte, even if the files have changed', async () => {
  const cwd = folder
  const lines = Array.from({ length: 12_000 }, (_, index) => `needle number ${index}`)
  await writeFile(join(cwd, 'long.txt'), lines.join('\n'))
  const options = {
    tools: FILE_TOOLS,
    cwd,
    permissions: { mode: 'acceptEdits' },
    storage: { resultsDirectory: join(cwd, '.kept') },
  }
  const openRuntime = () => createToolRuntime(options as Parameters<typeof createToolRuntime>[0])
  const runtime = openRuntime()
  const calls = [
    call('Read', { file_path: 'long.txt', limit: 20 }, 'read'),
    call('Grep', { pattern: 'needle', output_mode: 'content', head_limit: 0 }, 'grep'),
    call('Edit', { file_path: 'long.txt', old_string: 'number 7\n', new_string: 'number seven\n' }, 'edit'),
    call('Grep', { pattern: 'needle', output_mode: 'content', head_limit: 0, path: 'long.txt' }, 'grep again'),
  ]
  const results = await runtime.run(calls).results
  const messages: Message[] = [
    { type: 'assistant', content: calls },
    { type: 'user', content: results },
  ]
  const expected = JSON.stringify(messages)

  expect(results.map(({ is_error }) => is_error === true)).toEqual([false, false, false, false])
  for (const result of [results[1], results[3]])
    expect(textOf(result).length).toBeLessThan(lines.join('\n').length / 10)
  for (let request = 0; request < REQUEST_COUNT; request++)
    expect(JSON.stringify(await runtime.prepareMessages(structuredClone(messages)))).toBe(expected)
  await runtime.dispose()
  await rm(join(cwd, 'long.txt'))
  const resumedRuntime = openRuntime()
  expect(JSON.stringify(await resumedRuntime.prepareMessages(structuredClone(messages)))).toBe(expected)
  await resumedRuntime.dispose()
})
