import { expect, test } from 'vitest'
import { ToolCallError } from '../../contract/errors.js'
import type { ToolEvent } from '../../contract/events.js'
import { RunEvents } from './run-events.js'

const call = { type: 'tool_use', id: 'one', name: 'Tool', input: {} } as const
const outcome = { block: { type: 'tool_result', tool_use_id: 'one', content: 'done' } } as const
const failed = { ...outcome, error: new ToolCallError('cancelled', 'Enough.') }
const progress = { type: 'call-progressed', toolUseId: 'one', at: 0, progress: 1 } as const

function outlet() {
  const heard: ToolEvent['type'][] = []
  return { heard, events: new RunEvents(({ type }) => heard.push(type)) }
}

test('a call that has failed is silent', () => {
  const { heard, events } = outlet()
  events.queued(call)
  events.emit(progress)
  events.ended(call, failed)
  events.emit(progress)

  expect(heard).toEqual(['call-queued', 'call-progressed', 'call-ended'])
})

test('a call with the id of one that has failed is heard', () => {
  const { heard, events } = outlet()
  events.queued(call)
  events.ended(call, failed)
  events.queued(call)
  events.emit(progress)
  events.ended(call, failed)

  expect(heard).toEqual(['call-queued', 'call-ended', 'call-queued', 'call-progressed', 'call-ended'])
})

test('a listener that throws or rejects stops nothing', async () => {
  const throwing = new RunEvents(() => {
    throw new Error('listener')
  })
  const rejecting = new RunEvents(() => Promise.reject(new Error('listener')))

  expect(() => throwing.queued(call)).not.toThrow()
  rejecting.queued(call)
  await new Promise(setImmediate)
})
