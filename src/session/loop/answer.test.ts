import { expect, test } from 'vitest'
import type { ModelEvent } from '../../contract/model/model.js'
import { Answer } from './answer.js'

function callOf(id: string): ModelEvent {
  return { type: 'block-ended', block: { type: 'tool_use', id, name: 'Read', input: {} } }
}

test('calls with the same id get unique ids', () => {
  const answer = new Answer('m')

  for (const id of ['a', 'a', 'a-2', 'a', 'b', 'a-2']) answer.addEvent(callOf(id))

  expect(answer.calls.map(({ id }) => id)).toEqual(['a', 'a-2', 'a-2-2', 'a-3', 'b', 'a-2-3'])
})

test('many calls with the same id take linear time', () => {
  const answer = new Answer('m')

  for (let count = 0; count < 20_000; count++) answer.addEvent(callOf('a'))

  expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(20_000)
})

test('a call with an extremely nested input can be serialised', () => {
  const answer = new Answer('m')
  const input: unknown = { a: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) }

  const call = answer.addEvent({ type: 'block-ended', block: { type: 'tool_use', id: 'a', name: 'Read', input } })

  expect(JSON.stringify([call, answer.toMessage()])).toContain('nested too deeply')
})
