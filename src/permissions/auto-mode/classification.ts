import { isDeepStrictEqual } from 'node:util'
import { askClassifier, type Classifier, type ClassifierAnswer, type ClassifierRequest } from './classifier.js'

/**
 * The classifier's work on one call. It starts while hooks still run, and its answer counts only for exactly the request that it
 * was asked about: a call that a hook changes is classified again.
 */
export class Classification {
  #started:
    | {
        readonly request: ClassifierRequest
        readonly answer: Promise<ClassifierAnswer | undefined>
        readonly controller: AbortController
      }
    | undefined

  /** Returns the answer to this request. Starts the classifier unless it already works on the same request. */
  ask(
    classifier: Classifier,
    request: ClassifierRequest,
    { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<ClassifierAnswer | undefined> {
    if (this.#started !== undefined && isDeepStrictEqual(this.#started.request, request)) return this.#started.answer
    this.cancel()
    const controller = new AbortController()
    const signals = signal === undefined ? [controller.signal] : [controller.signal, signal]
    const answer = askClassifier(classifier, request, {
      signal: AbortSignal.any(signals),
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    this.#started = { request, answer, controller }
    return answer
  }

  /** Stops the classifier if it still runs, because no decision needs its answer. */
  cancel(): void {
    this.#started?.controller.abort()
    this.#started = undefined
  }
}
