import type { MaybePromise } from '../../shared/maybe-promise.js'
import { waitAtMost } from '../../shared/waiting.js'

/** The known effects of a call. They contain no text from tools or files. */
export interface CallEffects {
  readonly isReadOnly: boolean
  /** Every known path of the call lies in the working directories. */
  readonly isInside: boolean
  /** The call does nothing but write known files. */
  readonly isFileEdit: boolean
  readonly network: boolean
  /** The words of each simple command of a call that runs a command: the program without its folder, and its arguments. */
  readonly commands?: readonly (readonly string[])[]
  readonly areEffectsKnown: boolean
}

/** A call for the classifier to judge. */
export interface ClassifierRequest {
  /** The user's request. */
  readonly userRequest: string
  readonly toolName: string
  /** The result of the tool's `toAutoClassifierInput`. */
  readonly input: unknown
  readonly effects: CallEffects
}

/** The verdict. With `none`, the user is asked. */
export interface ClassifierAnswer {
  readonly verdict: 'allow' | 'deny' | 'none'
  readonly reason: string
}

/** Answers permission questions in place of the user in auto mode. */
export interface Classifier {
  classify(request: ClassifierRequest, options: { readonly signal: AbortSignal }): MaybePromise<ClassifierAnswer>
}

const CLASSIFIER_TIMEOUT_MS = 10_000

const VERDICTS: ReadonlySet<unknown> = new Set(['allow', 'deny', 'none'])

/** Asks the classifier. Resolves to undefined if it throws, returns an invalid answer or times out. */
export async function askClassifier(
  classifier: Classifier,
  request: ClassifierRequest,
  { timeoutMs = CLASSIFIER_TIMEOUT_MS, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<ClassifierAnswer | undefined> {
  if (signal?.aborted === true) return undefined
  const controller = new AbortController()
  try {
    const answer = Promise.resolve(classifier.classify(request, { signal: controller.signal }))
    const result = await waitAtMost(timeoutMs, answer, signal)
    return VERDICTS.has(result?.value?.verdict) ? result?.value : undefined
  } catch {
    // The reason for the failure does not matter: the user is asked.
    return undefined
  } finally {
    // Stops a classifier that is still running.
    controller.abort()
  }
}
