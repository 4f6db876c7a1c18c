import type { ModelEvent } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import type { Fetch } from './http-fetch.js'

/** The maximum waits for a part of the answer, in milliseconds. */
export interface ProgressLimits {
  /** The wait for the first part. A model may read and think for a long time before it answers. */
  readonly first: number
  /** The wait between two parts. */
  readonly next: number
}

/**
 * Passes on the events of an answer and throws if none arrives in time, because a server can send pings forever without
 * progress. The time that the consumer takes does not count. `stop` must end the answer; otherwise `answer.next()` never
 * settles.
 */
export async function* withProgressLimit(
  answer: AsyncGenerator<ModelEvent>,
  { first, next }: ProgressLimits,
  stop: () => void,
): AsyncGenerator<ModelEvent> {
  let limit = first
  let hasTimedOut = false
  const stopWaiting = () => {
    hasTimedOut = true
    stop()
  }
  const timer = new StallTimer(stopWaiting)
  try {
    for (;;) {
      timer.start(limit)
      const { done, value } = await answer.next()
      timer.pause()
      if (done === true) break
      // The start of a message does not count as progress.
      if (value.type !== 'message-started') limit = next
      yield value
    }
  } catch (error) {
    if (!hasTimedOut) throw error
  } finally {
    timer.stop()
    await answer.return(undefined)
  }
  if (hasTimedOut)
    throw new ModelError('timed_out', `The answer made no progress for ${Math.round(limit / 1000)} seconds.`)
}

/** The server sent no data for too long. */
class IdleError extends Error {
  override readonly name = 'IdleError'
}

/** Wraps `fetch` so that a response body fails when no data arrives for `idleMs`, not even a ping. */
export function addIdleLimit(fetch: Fetch, idleMs: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || response.body === null) return response
    const { status, statusText, headers, url, ok } = response
    // A new object, because the body of a response cannot be replaced and its class is unknown.
    const watchedResponse = { status, statusText, headers, url, ok, body: limitIdleTime(response.body, idleMs) }
    return Object.assign(watchedResponse, {
      text: () => response.text(),
      json: () => response.json(),
    }) as unknown as Response
  }
}

function limitIdleTime(body: AsyncIterable<Uint8Array>, idleMs: number): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new WatchedChunks(body[Symbol.asyncIterator](), idleMs) }
}

class WatchedChunks implements AsyncIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #idleMs: number
  readonly #timer = new StallTimer(() => this.#stopWaiting())
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
        (nextResult) => {
          if (nextResult.done === true) this.#timer.stop()
          else this.#timer.pause()
          resolve(nextResult)
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

  #stopWaiting(): void {
    this.#fail(new IdleError(`The server sent no data for ${Math.round(this.#idleMs / 1000)} seconds.`))
    // Not awaited, because a stuck body may never confirm that it was closed.
    void this.#chunks.return?.()?.catch(() => {})
  }
}

/**
 * Calls back when a wait takes too long. One timer serves all waits, because a timer for each chunk would cost more than
 * reading the chunk.
 */
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

  /** Stops counting while the consumer processes what arrived. */
  pause(): void {
    this.#isWaiting = false
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
