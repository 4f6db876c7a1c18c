import { DEFAULT_PACING, type Pacing } from './for-each-in-slices.js'

/** Work that can pause: it yields at short intervals, so that its caller decides when other work may run. */
export type Steps<T> = Generator<void, T, void>

/** Runs the work without a pause. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs the work and pauses whenever the time budget is used up, so that the event loop is never blocked. */
export async function runStepsInSlices<T>(
  steps: Steps<T>,
  signal?: AbortSignal,
  pacing: Pacing = DEFAULT_PACING,
): Promise<T> {
  let sliceEnd = pacing.now() + pacing.budgetMs
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (pacing.now() < sliceEnd) continue
    await pacing.pause()
    signal?.throwIfAborted()
    sliceEnd = pacing.now() + pacing.budgetMs
  }
}
