import type { ModelEvent } from '../../contract/model.js'
import { ModelError } from '../../contract/model-error.js'
import { StallTimer } from './stall-timer.js'

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
