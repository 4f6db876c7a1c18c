import type { StepName, StepTimer } from './call-environment.js'

/** A call whose steps may be timed. */
export interface TimedCall {
  readonly timer: StepTimer | undefined
  readonly toolUseId: string
  /** How long persons took to answer so far. */
  readonly waitedMs: number
}

/** Takes a step and tells how long it took, if anybody wants to know. */
export function timed<A, B, Out>(call: TimedCall, name: StepName, step: (a: A, b: B) => Out, a: A, b: B): Out {
  return call.timer === undefined ? step(a, b) : measured(call, call.timer, name, () => step(a, b))
}

function measured<Out>(call: TimedCall, timer: StepTimer, name: StepName, step: () => Out): Out {
  const startMs = performance.now()
  const waitedBefore = call.waitedMs
  const tell = () => {
    const waitedMs = call.waitedMs - waitedBefore
    try {
      if (waitedMs > 0) timer.step(call.toolUseId, name, startMs, performance.now(), waitedMs)
      else timer.step(call.toolUseId, name, startMs, performance.now())
    } catch {
      // Who measures calls must not be able to stop them.
    }
  }
  try {
    const taken = step()
    if (taken instanceof Promise) return taken.finally(tell) as Out
    tell()
    return taken
  } catch (error) {
    tell()
    throw error
  }
}
