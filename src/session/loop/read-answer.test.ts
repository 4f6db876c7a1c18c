import { expect, test } from 'vitest'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { OpenRun } from '../../contract/runtime.js'
import { collectResults } from './read-answer.js'

const calls = ['a', 'b'].map((id): ToolUseBlock => ({ type: 'tool_use', id, name: 'Read', input: {} }))
const createResult = (id: string): ToolResultBlock => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })

function createRun(results: Promise<readonly ToolResultBlock[]>): Pick<OpenRun, 'results' | 'newMessages' | 'stopped'> {
  return { results, newMessages: Promise.resolve([]), stopped: Promise.resolve(undefined) }
}

test('a call that got no result in the run gets an error result in its place', async () => {
  const { results } = await collectResults(calls, createRun(Promise.resolve([createResult('b')])))
  expect(results).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: 'The call was cancelled before it began.', is_error: true },
    createResult('b'),
  ])
})

test('a failed run leaves no call without a result', async () => {
  const { results } = await collectResults(calls, createRun(Promise.reject(new Error('disk full'))))
  expect(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([
    ['a', true],
    ['b', true],
  ])
  expect(results[0]?.content).toMatch(/disk full/)
})
