import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import { realRuntime, temporaryFolder, tryQuery } from '../../testing/query-fixture.js'

describe('a query', () => {
  test('ends with what the model says', async () => {
    const runtime = realRuntime(await temporaryFolder())

    const { end, requests, messages } = await tryQuery({ runtime, script: ['Hello.'] })

    expect(end).toMatchObject({ reason: 'completed', text: 'Hello.', turns: 1 })
    expect(requests).toHaveLength(1)
    expect(messages.filter(({ type }) => type !== 'attachment').map(({ type }) => type)).toEqual(['user', 'assistant'])
  })

  test('gives the model the result of its call, and again, until it calls no more', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'a.txt'), 'alpha')
    const runtime = realRuntime(folder)

    const { end, requests, messages } = await tryQuery({
      runtime,
      script: [
        { calls: [{ name: 'Read', input: { file_path: join(folder, 'a.txt') }, id: 'one' }] },
        { calls: [{ name: 'Write', input: { file_path: join(folder, 'b.txt'), content: 'beta' }, id: 'two' }] },
        'Done.',
      ],
    })

    expect(end).toMatchObject({ reason: 'completed', text: 'Done.', turns: 3, denials: [] })
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('beta')
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      type: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'one', content: expect.stringContaining('alpha') }],
    })
    expect(kinds(messages)).toEqual(['user', 'assistant', 'results', 'assistant', 'results', 'assistant'])
  })
})

function kinds(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ type, ...message }) => {
    if (type === 'attachment') return []
    const { content } = message as { content: unknown }
    const hasResults = Array.isArray(content) && content.some((block) => block.type === 'tool_result')
    return [hasResults ? 'results' : type]
  })
}
