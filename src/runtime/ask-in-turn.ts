import type { QuestionLock } from '../calls/questions.js'
import type { AskPort } from '../contract/ports/ask.js'

const NEVER_ABORTED = new AbortController().signal

/** All agents share one user, so questions of tools and permission requests are asked one at a time. */
export function askInTurn(port: AskPort, questions: QuestionLock): AskPort {
  return {
    get canAsk() {
      return port.canAsk
    },
    askQuestions: (asked, options = {}) =>
      questions.ask(() => port.askQuestions(asked, options), options.signal ?? NEVER_ABORTED),
    handleElicitation: (elicitation, options = {}) =>
      questions.ask(() => port.handleElicitation(elicitation, options), options.signal ?? NEVER_ABORTED),
  }
}
