import type { Fetch } from './http-fetch.js'

/** The server said nothing for too long. */
class IdleError extends Error {
  override readonly name = 'IdleError'
}

/** `fetch` whose answers fail when nothing comes for a while, not even a ping. */
export function withIdleLimit(fetch: Fetch, idleMs: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || response.body === null) return response
    const { status, statusText, headers, url, ok } = response
    // A new object, as neither a body can be replaced nor the class of a foreign `fetch` be built upon.
    const watched = { status, statusText, headers, url, ok, body: watch(response.body, idleMs) }
    return Object.assign(watched, {
      text: () => response.text(),
      json: () => response.json(),
    }) as unknown as Response
  }
}

function watch(body: AsyncIterable<Uint8Array>, idleMs: number): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]()
      const leave = async (): Promise<IteratorResult<Uint8Array>> => {
        await chunks.return?.()
        return { done: true, value: undefined }
      }
      return { next: () => nextWithin(chunks, idleMs), return: leave }
    },
  }
}

async function nextWithin(
  chunks: AsyncIterator<Uint8Array>,
  idleMs: number,
): Promise<IteratorResult<Uint8Array, undefined>> {
  let timer: NodeJS.Timeout | undefined
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new IdleError(`Nothing came for ${Math.round(idleMs / 1000)} seconds.`)),
      idleMs,
    ).unref()
  })
  try {
    return await Promise.race([chunks.next(), idle])
  } catch (error) {
    // Not awaited: a body that is stuck may never confirm it.
    if (error instanceof IdleError) void chunks.return?.()?.catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}
