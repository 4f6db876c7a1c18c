import type { QuestionLock } from '../calls/questions.js'
import type { AskPort } from '../contract/ports/ask.js'

const NEVER_ABORTED = new AbortController().signal

/** Asks questions of tools one at a time, in turn with permission requests, because all agents share one user. */
export function askInTurn(port: AskPort, lock: QuestionLock): AskPort {
  return {
    get canAsk() {
      return port.canAsk
    },
    askQuestions: (questions, options = {}) =>
      lock.ask(() => port.askQuestions(questions, options), options.signal ?? NEVER_ABORTED),
    handleElicitation: (elicitation, options = {}) =>
      lock.ask(() => port.handleElicitation(elicitation, options), options.signal ?? NEVER_ABORTED),
  }
}
