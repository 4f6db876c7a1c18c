import type { QuestionLock } from '../calls/asking/question-lock.js'
import type { AskPort } from '../contract/ports/ask.js'

const NEVER = new AbortController().signal

/** There is one person: what tools ask and what permission asks is put one at a time, whichever agent it comes from. */
export function askInTurn(port: AskPort, questions: QuestionLock): AskPort {
  return {
    get canAsk() {
      return port.canAsk
    },
    askQuestions: (asked, options = {}) =>
      questions.ask(() => port.askQuestions(asked, options), options.signal ?? NEVER),
    handleElicitation: (elicitation, options = {}) =>
      questions.ask(() => port.handleElicitation(elicitation, options), options.signal ?? NEVER),
  }
}
