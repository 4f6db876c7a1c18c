import { expect, test } from 'vitest'
import type { Message } from '../../contract/messages.js'
import type { Model, ModelRequest } from '../../contract/model/model.js'
import { createRealRuntime, createTemporaryFolder } from '../../testing/query-fixture.js'
import { Conversation } from '../conversation/conversation.js'
import { type ContextMeasure, measureContext } from './measure-context.js'

const MESSAGES: readonly Message[] = [
  { type: 'user', content: 'Look at the file, please.' },
  { type: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: { file_path: 'a.txt' } }] },
  { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one\n'.repeat(100) }] },
  { type: 'assistant', content: [{ type: 'text', text: 'It has a hundred lines.' }] },
]

async function measure(countTokens?: Model['countTokens']): Promise<ContextMeasure> {
  const runtime = createRealRuntime(await createTemporaryFolder())
  const conversation = new Conversation([...MESSAGES])
  const model: Model = {
    ...{ id: 'm', provider: 'p', facts: { contextWindow: 100_000, maxOutputTokens: 1_000 } },
    async *stream() {},
    ...(countTokens !== undefined && { countTokens }),
  }
  const source = { runtime, conversation, system: ['Be brief.'] }
  return measureContext(source, model, { signal: AbortSignal.timeout(60_000) })
}

/** Counts one token per character, and seven for each request. */
async function countCharacters({ system, tools, messages }: ModelRequest): Promise<number> {
  return 7 + [...system, ...tools, ...messages].reduce((sum, part) => sum + JSON.stringify(part).length, 0)
}

function sumOf(parts: readonly { readonly tokens: number }[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}

test('the parts of a request that the provider counts add up to its count', async () => {
  const requests: ModelRequest[] = []
  const { parts, tokens, isCounted } = await measure(async (request) => {
    requests.push(request)
    return countCharacters(request)
  })

  expect(isCounted).toBe(true)
  const whole = requests.find(({ messages }) => messages.length > MESSAGES.length)
  const empty = requests.find(({ system }) => system.length === 0)
  const counts = await Promise.all([whole, empty].map((request) => request && countCharacters(request)))
  expect(tokens).toBe((counts[0] ?? 0) - (counts[1] ?? 0))
  expect(sumOf(parts)).toBe(tokens)
  expect(parts.find(({ name }) => name === 'System prompt')).toEqual({
    ...{ name: 'System prompt', tokens: JSON.stringify('Be brief.').length, isShare: false, details: [] },
  })
  const tools = parts.find(({ name }) => name === 'Built-in tools')
  expect(tools?.isShare).toBe(false)
  expect(sumOf(tools?.details ?? [])).toBe(tools?.tokens)
  expect(parts.filter(({ isShare }) => isShare).map(({ name }) => name)).toEqual([
    ...['Your prompts', 'Calls', 'Results', 'Answers'],
  ])
})

test('without a counter, and if the counter fails, the tokens are estimated and add up', async () => {
  const estimate = await measure()
  const failure = await measure(() => Promise.reject(new Error('There is no such endpoint.')))

  expect(estimate.isCounted).toBe(false)
  expect(estimate.tokens).toBe(sumOf(estimate.parts))
  expect(failure).toEqual({ ...estimate, countFailure: 'There is no such endpoint.' })
})
