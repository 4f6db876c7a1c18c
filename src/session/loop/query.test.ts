import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { createRealRuntime, createTemporaryFolder, tryQuery } from '../../testing/query-fixture.js'

describe('a query', () => {
  test('ends with the text of the model', async () => {
    const runtime = createRealRuntime(await createTemporaryFolder())

    const { end, requests, messages } = await tryQuery({ runtime, script: ['Hello.'] })

    expect(end).toMatchObject({ reason: 'completed', text: 'Hello.', turns: 1 })
    expect(requests).toHaveLength(1)
    expect(messages.filter(({ type }) => type !== 'attachment').map(({ type }) => type)).toEqual(['user', 'assistant'])
  })

  test('sends the results of calls to the model until it makes no more calls', async () => {
    const folder = await createTemporaryFolder()
    await writeFile(join(folder, 'a.txt'), 'alpha')
    const runtime = createRealRuntime(folder)

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
    expect(kindsOf(messages)).toEqual(['user', 'assistant', 'results', 'assistant', 'results', 'assistant'])
  })
})

describe('deferred tools', () => {
  const server = createFixtureMcpTool('slack', 'send')
  const search = { calls: [{ name: 'ToolSearch', input: { query: 'select:mcp__slack__send' } }] }

  test('are appended to the tool list once they are found', async () => {
    const runtime = createRealRuntime(await createTemporaryFolder(), { mcpTools: () => [server] })
    const { requests } = await tryQuery({ runtime, script: [search, 'There.'] })

    const [toolsBefore = [], toolsAfter = []] = requests.map(({ tools }) => tools)
    expect(toolsAfter.slice(0, toolsBefore.length)).toEqual(toolsBefore)
    expect(toolsAfter.slice(toolsBefore.length).map(({ name }) => name)).toEqual(['mcp__slack__send'])
    expect(requests.map(({ builtInTools }) => builtInTools)).toEqual([toolsBefore.length, toolsBefore.length])
    expect(JSON.stringify(requests[0]?.messages)).toContain('<available-deferred-tools>')
    expect(JSON.stringify(requests[1]?.messages).split('<available-deferred-tools>')).toHaveLength(2)
  })

  test('are sent as marked references if the provider supports deferred loading', async () => {
    const runtime = createRealRuntime(await createTemporaryFolder(), { mcpTools: () => [server] })
    const script = { turns: [search, 'There.'], facts: { supportsDeferLoading: true } }
    const { requests } = await tryQuery({ runtime, script })

    const [toolsBefore = [], toolsAfter = []] = requests.map(({ tools }) => tools)
    expect(toolsBefore.map(({ name }) => name)).not.toContain('mcp__slack__send')
    expect(toolsAfter).toEqual([
      ...toolsBefore,
      expect.objectContaining({ name: 'mcp__slack__send', defer_loading: true }),
    ])
    // The tools are marked from the first request on, because a mark that is added later invalidates the provider's cache.
    expect(toolsBefore.map(({ defer_loading }) => defer_loading).filter(Boolean)).toHaveLength(1)
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('"type":"tool_reference"')
  })
})

function kindsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ type, ...message }) => {
    if (type === 'attachment') return []
    const { content } = message as { content: unknown }
    const hasResults = Array.isArray(content) && content.some((block) => block.type === 'tool_result')
    return [hasResults ? 'results' : type]
  })
}
