import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { call, createHeadlessFixture } from './lib/headless-fixture.js'

const { at, writeModel, run } = createHeadlessFixture()

/** A server that answers every request as Anthropic answers a search. Returns its URL and the number of requests. */
async function startSearchServer() {
  let requestCount = 0
  const results = [{ type: 'web_search_result', url: 'https://a.test/', title: 'A', encrypted_content: 'x' }]
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      requestCount++
      const content = [{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: results }]
      const usage = { input_tokens: 0, output_tokens: 0, server_tool_use: { web_search_requests: 1 } }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content, usage }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, countRequests: () => requestCount }
}

test('searches of the provider count in the cost and in the budget', async () => {
  const { baseUrl, countRequests } = await startSearchServer()
  await mkdir(at('home', '.haft'))
  const settings = {
    web: { search: { provider: 'model', model: 'mine/searcher' } },
    providers: { mine: { type: 'anthropic', baseUrl, apiKey: 'key' } },
    models: { searcher: { prices: { input: 0, output: 0 } } },
    permissions: { allow: ['WebSearch'] },
  }
  await writeFile(at('home', '.haft', 'settings.json'), JSON.stringify(settings))
  const turns = Array.from({ length: 5 }, (_, index) => call('WebSearch', { query: `query ${index}` }))
  const model = await writeModel([...turns, 'Done.'], { facts: { prices: { input: 0, output: 0 } } })

  const { stdout } = await run(['-p', 'Search', '--output-format', 'json', '--max-budget-usd', '0.015', ...model], {
    variables: { HAFT_TOOL_SEARCH: '0' },
  })

  const result = JSON.parse(stdout)
  expect(result).toMatchObject({
    ...{ subtype: 'error_max_budget_usd', total_cost_usd: 0.02 },
  })
  expect(countRequests()).toBe(2)
})
