import type { CallRun } from '../../calls/call-run.js'
import type { ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { HaftRuntime } from '../haft-runtime.js'

type Runtime = Pick<HaftRuntime, 'open' | 'results'>

/** The options that the SDK passes with a call. Calls of one step have the same `messages` array. */
export interface StepOptions {
  readonly messages: readonly unknown[]
  readonly abortSignal?: AbortSignal
}

/** Groups the calls of a step, which the SDK makes one by one, so that they are scheduled and budgeted as one message. */
export function createStepCalls(runtime: Runtime) {
  const steps = new WeakMap<readonly unknown[], Step>()
  return (call: ToolUseBlock, { messages, abortSignal }: StepOptions): Promise<ToolResultBlock> => {
    const step = steps.get(messages) ?? new Step(runtime)
    steps.set(messages, step)
    return step.call(call, abortSignal)
  }
}

interface Waiter {
  resolve(result: ToolResultBlock): void
  reject(error: unknown): void
}

class Step {
  readonly #runtime: Runtime
  readonly #send: ReturnType<HaftRuntime['results']['openMessage']>
  #current: { readonly run: CallRun; readonly waiters: Waiter[] } | undefined

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#send = runtime.results.openMessage()
  }

  call(call: ToolUseBlock, signal: AbortSignal | undefined): Promise<ToolResultBlock> {
    const { run, waiters } = this.#getCurrentRun(signal)
    return new Promise((resolve, reject) => {
      waiters.push({ resolve, reject })
      run.add(call)
    })
  }

  /**
   * Returns the run of the current step. The SDK does not report the end of a step, so a call that arrives after all others
   * have ended starts a new run.
   */
  #getCurrentRun(signal: AbortSignal | undefined) {
    if (this.#current === undefined) {
      this.#current = { run: this.#runtime.open(signal === undefined ? {} : { signal }), waiters: [] }
      void this.#answer(this.#current.run, this.#current.waiters)
    }
    return this.#current
  }

  async #answer(run: CallRun, waiters: Waiter[]): Promise<void> {
    for await (const outcome of run.streamOutcomesInOrder()) {
      const waiter = waiters[0]
      try {
        const [result = outcome.block] = await this.#send([outcome])
        waiter?.resolve(result)
      } catch (error) {
        waiter?.reject(error)
      }
      waiters.shift()
      if (waiters.length > 0) continue
      this.#current = undefined
      run.end()
    }
  }
}
