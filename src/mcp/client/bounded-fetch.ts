import { MAX_MESSAGE_BYTES } from './stdio-transport.js'

const NEWLINE = 10

/** A fetch whose answers end in an error where one message of them is larger than any may be. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.body === null) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = response.body.pipeThrough(limit(isStream))
  const { status, statusText, headers } = response
  const bounded = new Response(body, { status, statusText, headers })
  // A response made here knows neither where it came from nor whether it was led elsewhere.
  Object.defineProperties(bounded, { url: { value: response.url }, redirected: { value: response.redirected } })
  return bounded
}

/** A stream of events may be of any length as long as its lines are not. */
function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const newline = isStream ? chunk.lastIndexOf(NEWLINE) : -1
      bytes = newline === -1 ? bytes + chunk.length : chunk.length - newline
      if (bytes > MAX_MESSAGE_BYTES) {
        controller.error(new Error(`The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`))
      } else controller.enqueue(chunk)
    },
  })
}
