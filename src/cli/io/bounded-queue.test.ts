import { expect, test } from 'vitest'
import { BoundedQueue } from './bounded-queue.js'

async function itemsOf<T>(queue: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of queue) items.push(item)
  return items
}

test('a queue yields pushed items in order until it is closed', async () => {
  const queue = new BoundedQueue<number>(10)
  const consumed = itemsOf(queue)
  for (const item of [1, 2, 3]) await queue.push(item)
  queue.close()
  expect(await consumed).toEqual([1, 2, 3])
})

test('push waits while the queue is full', async () => {
  const queue = new BoundedQueue<string>(10)
  const steps: string[] = []
  const pushing = queue.push('large', 25).then(() => steps.push('room again'))
  const taking = queue[Symbol.asyncIterator]()
  await Promise.resolve()
  steps.push('take')
  expect((await taking.next()).value).toBe('large')
  await pushing
  expect(steps).toEqual(['take', 'room again'])
})

test('closing a queue ends the waits of its producers and consumers', async () => {
  const full = new BoundedQueue<number>(1)
  const pushing = full.push(1)
  full.close()
  await pushing
  await full.push(2)
  expect(await itemsOf(full)).toEqual([1])

  const empty = new BoundedQueue<number>(1)
  const taking = empty[Symbol.asyncIterator]().next()
  empty.close()
  expect((await taking).done).toBe(true)
})
