import { expect, test } from 'vitest'
import { EventStream, UnreadEvents } from './run-events.js'

interface Event {
  readonly type: string
}

async function readAll(stream: AsyncIterable<Event>): Promise<readonly string[]> {
  const types = []
  for await (const { type } of stream) types.push(type)
  return types
}

test('the first reader gets all events, whenever it starts', async () => {
  const stream = new EventStream<Event>('progress')
  stream.push({ type: 'before' })
  const readPromise = readAll(stream)
  await new Promise(setImmediate)
  stream.push({ type: 'meanwhile' })
  stream.close()

  expect(await readPromise).toEqual(['before', 'meanwhile'])
})

test('if a stream keeps no past events, a reader gets only the events after its start', async () => {
  const stream = new EventStream<Event>('progress', false)
  stream.push({ type: 'before' })
  const readPromise = readAll(stream)
  await new Promise(setImmediate)
  stream.push({ type: 'meanwhile' })
  stream.close()

  expect(await readPromise).toEqual(['meanwhile'])
})

test('after a stream has ended, its first reader gets all events and a second reader gets none', async () => {
  const stream = new EventStream<Event>('progress')
  stream.push({ type: 'a' })
  stream.close()
  stream.push({ type: 'too late' })

  expect(await readAll(stream)).toEqual(['a'])
  expect(await readAll(stream)).toEqual([])
})

test('two readers get the same events', async () => {
  const stream = new EventStream<Event>('progress')
  const readPromises = [readAll(stream), readAll(stream)]
  await new Promise(setImmediate)
  stream.push({ type: 'a' })
  await new Promise(setImmediate)
  stream.push({ type: 'b' })
  stream.close()

  expect(await Promise.all(readPromises)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
})

test('a reader that stops does not affect the others', async () => {
  const stream = new EventStream<Event>('progress')
  stream.push({ type: 'a' })
  for await (const _ of stream) break
  const readPromise = readAll(stream)
  await new Promise(setImmediate)
  stream.push({ type: 'b' })
  stream.close()

  expect(await readPromise).toEqual(['b'])
})

test('a stream without readers keeps only the latest 1,000 progress events', async () => {
  const stream = new EventStream<Event & { at: number }>('progress')
  for (let at = 0; at < 100_000; at++) stream.push({ type: 'progress', at })
  stream.close()

  const events = []
  for await (const event of stream) events.push(event)

  expect(events).toHaveLength(1_000)
  expect(events.at(-1)).toEqual({ type: 'progress', at: 99_999 })
})

test('unread events can be taken once, in order', () => {
  const unreadEvents = new UnreadEvents<{ type: string }>('progress', 2)
  for (const type of ['a', 'progress', 'b']) unreadEvents.push({ type })

  expect(unreadEvents.take()).toEqual([{ type: 'a' }, { type: 'progress' }, { type: 'b' }])
  expect(unreadEvents.take()).toEqual([])
  expect(unreadEvents.isEmpty).toBe(true)
})

test('all unread events are kept, except for old progress events', () => {
  const unreadEvents = new UnreadEvents<{ type: string; at: number }>('progress', 3)
  for (let at = 0; at < 100; at++) unreadEvents.push({ type: at % 10 === 0 ? 'news' : 'progress', at })

  const events = unreadEvents.take()

  expect(events.filter(({ type }) => type === 'news').map(({ at }) => at)).toEqual([
    ...[0, 10, 20, 30, 40, 50, 60, 70, 80, 90],
  ])
  expect(events.filter(({ type }) => type === 'progress').map(({ at }) => at)).toEqual([97, 98, 99])
})
