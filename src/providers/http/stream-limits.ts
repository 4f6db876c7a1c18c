import type { ModelEvent } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import type { Fetch } from './http-fetch.js'

/** In milliseconds. */
export interface ProgressLimits {
  /** Until the first piece: a model may read and think for long before it says anything. */
  readonly first: number
  readonly next: number
}

/**
 * The events of an answer, which fails where none comes for too long: a server can send pings forever and never go on.
 * The time that who reads the events takes does not count. `stop` has to end the answer, or its next event never comes.
 */
export async function* withProgressLimit(
  answer: AsyncGenerator<ModelEvent>,
  { first, next }: ProgressLimits,
  stop: () => void,
): AsyncGenerator<ModelEvent> {
  let limit = first
  let isOver = false
  const giveUp = () => {
    isOver = true
    stop()
  }
  const timer = new StallTimer(giveUp)
  try {
    for (;;) {
      timer.start(limit)
      const { done, value } = await answer.next()
      timer.pause()
      if (done === true) break
      // That a message begins is no part of it yet.
      if (value.type !== 'message-started') limit = next
      yield value
    }
  } catch (error) {
    if (!isOver) throw error
  } finally {
    timer.stop()
    await answer.return(undefined)
  }
  if (isOver) throw new ModelError('timed_out', `The answer did not go on for ${Math.round(limit / 1000)} seconds.`)
}

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

/** Tells when somebody has waited for too long. One serves for all waits: a new one for each piece would cost more than reading it. */
class StallTimer {
  readonly #onStall: () => void
  #timer: NodeJS.Timeout | undefined
  #limitMs = 0
  #isWaiting = false

  constructor(onStall: () => void) {
    this.#onStall = onStall
  }

  start(limitMs: number): void {
    this.#isWaiting = true
    if (this.#timer !== undefined && limitMs === this.#limitMs) return void this.#timer.refresh()
    clearTimeout(this.#timer)
    this.#limitMs = limitMs
    this.#timer = setTimeout(() => {
      if (this.#isWaiting) this.#onStall()
    }, limitMs)
    this.#timer.unref()
  }

  /** What came is being looked at, and that may take as long as it likes. */
  pause(): void {
    this.#isWaiting = false
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
