import { expect, test } from 'vitest'
import { ToolCallError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import { RunEvents } from './run-events.js'

const call = { type: 'tool_use', id: 'one', name: 'Tool', input: {} } as const
const outcome = { block: { type: 'tool_result', tool_use_id: 'one', content: 'done' } } as const
const failedOutcome = { ...outcome, error: new ToolCallError('cancelled', 'Enough.') }
const progress = { type: 'call-progressed', toolUseId: 'one', at: 0, progress: 1 } as const

function createEvents() {
  const receivedTypes: ToolEvent['type'][] = []
  return { received: receivedTypes, events: new RunEvents(({ type }) => receivedTypes.push(type)) }
}

test('after a call has failed, no further events are emitted for it', () => {
  const { received, events } = createEvents()
  events.emitQueued(call)
  events.emit(progress)
  events.emitEnded(call, failedOutcome)
  events.emit(progress)

  expect(received).toEqual(['call-queued', 'call-progressed', 'call-ended'])
})

test('events are emitted for a new call that reuses the id of a failed one', () => {
  const { received, events } = createEvents()
  events.emitQueued(call)
  events.emitEnded(call, failedOutcome)
  events.emitQueued(call)
  events.emit(progress)
  events.emitEnded(call, failedOutcome)

  expect(received).toEqual(['call-queued', 'call-ended', 'call-queued', 'call-progressed', 'call-ended'])
})

test('a listener that throws or rejects does not affect the run', async () => {
  const throwingEvents = new RunEvents(() => {
    throw new Error('listener')
  })
  const rejectingEvents = new RunEvents(() => Promise.reject(new Error('listener')))

  expect(() => throwingEvents.emitQueued(call)).not.toThrow()
  rejectingEvents.emitQueued(call)
  await new Promise(setImmediate)
})
