import { expect, test } from 'vitest'
import { limitUnread } from './limit-unread.js'

const HEADERS = { 'content-type': 'text/event-stream' }

test('a stream that its client does not read is ended at the limit', async () => {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel() {
      isCancelled = true
    },
  })

  const response = limitUnread(new Response(body, { headers: HEADERS }), 10_000)

  await expect.poll(() => isCancelled).toBe(true)
  await expect(response.arrayBuffer()).rejects.toThrow('does not read')
})

test('a stream that is read is passed on unchanged, also if one message exceeds the limit', async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(50_000).fill(7))
      controller.close()
    },
  })

  const response = limitUnread(new Response(body, { headers: HEADERS }), 10_000)

  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(50_000).fill(7))
})
