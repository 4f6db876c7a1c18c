import type { MaybePromise } from '../../shared/maybe-promise.js'

/** What a call would do, as far as it is known. No text that a tool or a file brought in is here. */
export interface CallEffects {
  readonly isReadOnly: boolean
  /** Every path that the call is known to touch lies in the working directories. */
  readonly isInside: boolean
  /** The call does nothing but write files that are known. */
  readonly isFileEdit: boolean
  readonly network: boolean
  /** The simple commands of a call that runs a command, and whether all they do is known. */
  readonly commands?: readonly string[]
  readonly areEffectsKnown: boolean
}

export interface ClassifierRequest {
  /** What the user asked for. */
  readonly userRequest: string
  readonly toolName: string
  /** What the tool's `toAutoClassifierInput` gave. */
  readonly input: unknown
  readonly effects: CallEffects
}

/** `none` is no opinion: a person is asked. */
export interface ClassifierAnswer {
  readonly verdict: 'allow' | 'deny' | 'none'
  readonly reason: string
}

/** Answers in place of the person in auto mode. */
export interface Classifier {
  classify(request: ClassifierRequest, options: { readonly signal: AbortSignal }): MaybePromise<ClassifierAnswer>
}

const CLASSIFIER_TIMEOUT_MS = 10_000

const VERDICTS: ReadonlySet<unknown> = new Set(['allow', 'deny', 'none'])

/** The classifier's answer; undefined where it throws, answers rubbish or takes too long. */
export async function askClassifier(
  classifier: Classifier,
  request: ClassifierRequest,
  { timeoutMs = CLASSIFIER_TIMEOUT_MS, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<ClassifierAnswer | undefined> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal?.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(stop, timeoutMs)
  try {
    if (signal?.aborted === true) return undefined
    const answer = await Promise.race([
      classifier.classify(request, { signal: controller.signal }),
      ended(controller.signal),
    ])
    return VERDICTS.has(answer?.verdict) ? answer : undefined
  } catch {
    // Why it failed is the classifier's own business: the question goes to a person either way.
    return undefined
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    // Lets a classifier that still runs stop.
    controller.abort()
  }
}

function ended(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}
