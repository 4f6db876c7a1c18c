import type { Fetch } from './http-fetch.js'
import { StallTimer } from './stall-timer.js'

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
  return { [Symbol.asyncIterator]: () => new WatchedChunks(body[Symbol.asyncIterator](), idleMs) }
}

class WatchedChunks implements AsyncIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #idleMs: number
  readonly #timer = new StallTimer(() => this.#giveUp())
  #fail: (error: IdleError) => void = () => {}

  constructor(chunks: AsyncIterator<Uint8Array>, idleMs: number) {
    this.#chunks = chunks
    this.#idleMs = idleMs
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    this.#timer.start(this.#idleMs)
    return new Promise((resolve, reject) => {
      this.#fail = reject
      this.#chunks.next().then(
        (next) => {
          if (next.done === true) this.#timer.stop()
          else this.#timer.pause()
          resolve(next)
        },
        (error) => {
          this.#timer.stop()
          reject(error)
        },
      )
    })
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#timer.stop()
    await this.#chunks.return?.()
    return { done: true, value: undefined }
  }

  #giveUp(): void {
    this.#fail(new IdleError(`Nothing came for ${Math.round(this.#idleMs / 1000)} seconds.`))
    // Not awaited: a body that is stuck may never confirm it.
    void this.#chunks.return?.()?.catch(() => {})
  }
}
