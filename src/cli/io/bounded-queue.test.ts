import { expect, test } from 'vitest'
import { BoundedQueue } from './bounded-queue.js'

async function itemsOf<T>(queue: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of queue) items.push(item)
  return items
}

test('a queue yields pushed items in order until it is closed', async () => {
  const queue = new BoundedQueue<number>(10)
  const consumedItems = itemsOf(queue)
  for (const item of [1, 2, 3]) await queue.push(item)
  queue.close()
  expect(await consumedItems).toEqual([1, 2, 3])
})

test('push waits while the queue is full', async () => {
  const queue = new BoundedQueue<string>(10)
  const steps: string[] = []
  const pushPromise = queue.push('large', 25).then(() => steps.push('room again'))
  const iterator = queue[Symbol.asyncIterator]()
  await Promise.resolve()
  steps.push('take')
  expect((await iterator.next()).value).toBe('large')
  await pushPromise
  expect(steps).toEqual(['take', 'room again'])
})

test('closing a queue ends the waits of its producers and consumers', async () => {
  const fullQueue = new BoundedQueue<number>(1)
  const pushPromise = fullQueue.push(1)
  fullQueue.close()
  await pushPromise
  await fullQueue.push(2)
  expect(await itemsOf(fullQueue)).toEqual([1])

  const emptyQueue = new BoundedQueue<number>(1)
  const takePromise = emptyQueue[Symbol.asyncIterator]().next()
  emptyQueue.close()
  expect((await takePromise).done).toBe(true)
})
