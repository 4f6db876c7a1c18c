import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import { fixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
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

describe('tools that are deferred', () => {
  const server = fixtureMcpTool('slack', 'send')
  const search = { calls: [{ name: 'ToolSearch', input: { query: 'select:mcp__slack__send' } }] }

  test('join the others behind them once they are found', async () => {
    const runtime = realRuntime(await temporaryFolder(), { mcpTools: () => [server] })
    const { requests } = await tryQuery({ runtime, script: [search, 'There.'] })

    const [before = [], after = []] = requests.map(({ tools }) => tools)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.slice(before.length).map(({ name }) => name)).toEqual(['mcp__slack__send'])
    expect(requests.map(({ builtInTools }) => builtInTools)).toEqual([before.length, before.length])
    expect(JSON.stringify(requests[0]?.messages)).toContain('<available-deferred-tools>')
    expect(JSON.stringify(requests[1]?.messages).split('<available-deferred-tools>')).toHaveLength(2)
  })

  test('are referred to, and marked, where the provider loads them', async () => {
    const runtime = realRuntime(await temporaryFolder(), { mcpTools: () => [server] })
    const script = { turns: [search, 'There.'], facts: { supportsDeferLoading: true } }
    const { requests } = await tryQuery({ runtime, script })

    const [before = [], after = []] = requests.map(({ tools }) => tools)
    expect(before.map(({ name }) => name)).not.toContain('mcp__slack__send')
    expect(after).toEqual([...before, expect.objectContaining({ name: 'mcp__slack__send', defer_loading: true })])
    // The mark is there from the start: with the first of them the provider changes the beginning of the prompt.
    expect(before.map(({ defer_loading }) => defer_loading).filter(Boolean)).toHaveLength(1)
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('"type":"tool_reference"')
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
