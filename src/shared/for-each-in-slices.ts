/** How long work may occupy the event loop before it pauses, and how it pauses. */
export interface Pacing {
  readonly budgetMs: number
  now(): number
  /** Resolves after pending I/O callbacks and timers have run. */
  pause(): Promise<void>
}

export const DEFAULT_PACING: Pacing = {
  budgetMs: 8,
  now: () => performance.now(),
  pause: () => new Promise((resolve) => setImmediate(resolve)),
}

/**
 * Creates a function for loops whose work is asynchronous by type, but mostly runs without waiting. Call it between two items:
 * it pauses if the time budget is used up.
 */
export function createPacer(pacing: Pacing = DEFAULT_PACING): () => Promise<void> {
  let sliceEnd = pacing.now() + pacing.budgetMs
  return async () => {
    if (pacing.now() < sliceEnd) return
    await pacing.pause()
    sliceEnd = pacing.now() + pacing.budgetMs
  }
}

/** Calls `work` for every item, and pauses between two items whenever the time budget is used up. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  pacing: Pacing = DEFAULT_PACING,
): Promise<void> {
  let sliceEnd = pacing.now() + pacing.budgetMs
  for (const item of items) {
    work(item)
    if (pacing.now() < sliceEnd) continue
    await pacing.pause()
    sliceEnd = pacing.now() + pacing.budgetMs
  }
}
