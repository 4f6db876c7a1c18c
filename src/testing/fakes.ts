import type { Answer, AskPort, Question } from '../contract/ports/ask.js'
import type { ClockPort } from '../contract/ports/clock.js'
import type { AppState, StatePort } from '../contract/ports/state.js'

/** A clock that stands still until somebody sleeps; then that time has passed at once. */
export function fakeClock(start = 0): ClockPort {
  let now = start
  return {
    now: () => now,
    async sleep(ms, { signal }) {
      if (!signal.aborted) now += ms
    },
  }
}

/** The state of one conversation, in memory. */
export function fakeState(initial: AppState = {}): StatePort {
  let state = initial
  return {
    getAppState: () => state,
    setAppState(update) {
      state = update(state)
    },
    setAppStateForTasks(update) {
      state = update(state)
    },
    setInProgressToolUseIDs() {},
    setHasInterruptibleToolInProgress() {},
  }
}

/** A person who answers as told; without an answer function nobody is there to ask. */
export function fakeAsk(answer?: (questions: readonly Question[]) => readonly Answer[] | undefined): AskPort {
  return {
    canAsk: answer !== undefined,
    askQuestions: async (questions) => answer?.(questions),
    handleElicitation: async () => ({ action: 'decline' }),
  }
}
