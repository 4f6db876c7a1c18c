import type { MaybePromise } from '../shared/maybe-promise.js'
import type { StepTimer } from './execution-host.js'

/** Runs a step and tells how long it took, if anybody wants to know. */
export function timed<T>(
  timer: StepTimer | undefined,
  toolUseId: string,
  step: string,
  run: () => MaybePromise<T>,
): MaybePromise<T> {
  return timer === undefined ? run() : measured(timer, toolUseId, step, run)
}

async function measured<T>(timer: StepTimer, toolUseId: string, step: string, run: () => MaybePromise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await run()
  } finally {
    timer.step(toolUseId, step, start, performance.now())
  }
}
