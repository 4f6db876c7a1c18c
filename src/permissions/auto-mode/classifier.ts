import type { MaybePromise } from '../../shared/maybe-promise.js'
import { waitAtMost } from '../../shared/waiting.js'

/** The known effects of a call. They contain no text from tool results or files. */
export interface CallEffects {
  readonly isReadOnly: boolean
  /** Whether the tool declares that the call destroys data. */
  readonly isDestructive: boolean
  /** Whether every known path of the call is inside the working directories. */
  readonly isInside: boolean
  /** Whether the call only reads and writes known files inside the working directories. */
  readonly isFileEdit: boolean
  readonly network: boolean
  /** The words of each simple command that the call runs: the base name of the program, and its arguments. */
  readonly commands?: readonly (readonly string[])[]
  readonly areEffectsKnown: boolean
}

/** A call for the classifier to judge. */
export interface ClassifierRequest {
  /** The text that the user sent to the agent. */
  readonly userRequest: string
  readonly toolName: string
  /** The result of the tool's `toAutoClassifierInput`. */
  readonly input: unknown
  readonly effects: CallEffects
}

/** The answer of a classifier. With the verdict `none`, the user is asked. */
export interface ClassifierAnswer {
  readonly verdict: 'allow' | 'deny' | 'none'
  readonly reason: string
}

/** Decides in auto mode, in place of the user, whether a call may run. */
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
    // The user is asked instead, whatever the reason for the failure.
    return undefined
  } finally {
    // Stops a classifier that is still running after its time limit.
    controller.abort()
  }
}
