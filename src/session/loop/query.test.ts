import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, script, start } from './fixture-query.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-query-')))
  await writeFile(join(folder, 'a.txt'), 'alpha')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a query', () => {
  test('ends with what the model says', async () => {
    const { end, requests, messages } = await start({ folder, answers: [script.text('Hello.')] })

    expect(end).toMatchObject({ reason: 'completed', text: 'Hello.', turns: 1 })
    expect(requests).toHaveLength(1)
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant'])
  })

  test('gives the model the result of its call, and again, until it calls no more', async () => {
    const { end, requests } = await start({
      folder,
      answers: [
        script.calls(call('Read', { file_path: 'a.txt' }, 'one')),
        script.calls(call('Write', { file_path: 'b.txt', content: 'beta' }, 'two')),
        script.text('Done.'),
      ],
    })

    expect(end).toMatchObject({ reason: 'completed', text: 'Done.', turns: 3 })
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('beta')
    expect(requests[1]?.messages.at(-1)).toEqual({
      type: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'one', content: 'alpha' }],
    })
  })
})
