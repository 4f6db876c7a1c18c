import { expect, test } from 'vitest'
import { listTools, type ServedRuntime } from './listed-tools.js'

test('the names of 3,000 tools are shortened to the limit without counting the tokens of every line', async () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `weather_operation_${index}`)
  const runtime: ServedRuntime = {
    pool: [],
    definitions: async () => [],
    isDeferred: () => true,
    markDisclosed: () => {},
    getAnnouncement: async () => names.join('\n'),
    call: () => Promise.reject(new Error('not called')),
  }
  let countedChars = 0
  const countTokens = (text: string) => {
    countedChars += text.length
    return Math.ceil(text.length / 4)
  }

  const tools = await listTools({ runtime, isGateway: true, findRawEntry: () => undefined, countTokens })

  const tokens = Math.ceil(JSON.stringify(tools).length / 4)
  expect(tokens).toBeGreaterThan(1_700)
  expect(tokens).toBeLessThan(2_000)
  expect(tools[0]?.description).toContain('weather_operation_100\n')
  expect(tools[0]?.description).toMatch(/\nMore tools are available through ToolSearch\.$/)
  expect(countedChars).toBeLessThan(20 * names.join('\n').length)
})
