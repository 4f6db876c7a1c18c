/** How much of a stream a client may leave unread before it is disconnected. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

/**
 * Limits what is held in memory for a client that does not read its stream. The transport has no limit of its own. Only event
 * streams are limited: any other response is a single message.
 */
export function limitUnread(response: Response, maxBytes = MAX_UNREAD_BYTES): Response {
  const { body, status, statusText, headers } = response
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) return response
  const reader = body.getReader()
  const copy = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return controller.close()
      controller.enqueue(value)
      // The size of the queue is what remains of the limit; a single message may be larger than that.
      if ((controller.desiredSize ?? 0) < -value.byteLength) throw new Error('The client does not read its messages.')
    }
  }
  const limitedBody = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        void copy(controller).catch((error) => {
          void reader.cancel(error).catch(() => {})
          controller.error(error)
        })
      },
      cancel: (reason) => reader.cancel(reason),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBytes }),
  )
  return new Response(limitedBody, { status, statusText, headers })
}
