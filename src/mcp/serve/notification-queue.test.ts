import { expect, test } from 'vitest'
import type { ClientNotification } from './client-notification.js'
import { NotificationQueue } from './notification-queue.js'

/** A client that reads nothing until `read` is called. */
function createStuckClient() {
  const received: string[] = []
  const waiting: (() => void)[] = []
  const send = (text: string) => () =>
    new Promise<void>((resolve) => {
      received.push(text)
      waiting.push(resolve)
    })
  return {
    received,
    send,
    async read() {
      for (let resolve = waiting.shift(); resolve !== undefined; resolve = waiting.shift()) {
        resolve()
        await new Promise((next) => setImmediate(next))
      }
    },
  }
}

test('a client that does not read gets a bounded number of notifications, and the latest of each kind', async () => {
  const client = createStuckClient()
  const queue = new NotificationQueue()

  for (let count = 0; count < 10_000; count++) queue.add(`resource ${count}`, client.send(`updated ${count}`))
  for (let count = 0; count < 10_000; count++) queue.add('resource 100', client.send(`again ${count}`))

  expect(client.received).toHaveLength(64)
  await client.read()
  expect(client.received).toHaveLength(64 + 256)
  expect(client.received).toContain('again 9999')
})

test('log messages beyond the budget are dropped, and the client is told how many', async () => {
  let now = 0
  const received: ClientNotification[] = []
  const queue = new NotificationQueue(() => now)
  const send = async (notification: ClientNotification) => void received.push(notification)
  const log = async (data: string) => {
    queue.addLog({ level: 'info', data }, send)
    await new Promise((next) => setImmediate(next))
  }

  for (let count = 0; count < 1_100; count++) await log(`line ${count}`)
  now += 1_000
  await log('later')

  expect(received).toHaveLength(1_002)
  expect(received.slice(-2)).toMatchObject([
    { params: { level: 'warning', data: expect.stringContaining('100 log messages were dropped') } },
    { params: { data: 'later' } },
  ])
})
