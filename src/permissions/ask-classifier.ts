import type { Classifier, ClassifierAnswer, ClassifierRequest } from './classifier.js'

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
