import type { CallRun } from '../calls/call-run.js'
import type { CallOutcome } from '../calls/perform-call.js'
import type { ToolEvent } from '../contract/events.js'
import type { Message, ToolResultBlock, ToolUseBlock } from '../contract/messages.js'
import type { OpenRun, RunStop, StartedRun } from '../contract/runtime.js'
import { addBlock } from './add-block.js'
import type { LiveRun } from './live-run.js'
import { MessageDiscardedError } from './message-discarded-error.js'
import type { ResultStore } from './result-store.js'

type Calls = Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>

/** Feeds calls into a run: all at once, or each when its block is complete in the model's stream. */
export function startRun(calls: Calls, live: LiveRun, store: ResultStore): StartedRun {
  const { run } = live
  const outcomes = isStream(calls) ? feedStream(calls, live) : feedAll(calls, run)
  const results = outcomes.then((ended) => store.settle(ended))
  // Who only watches the events must not be ended by a rejection nobody waits for.
  results.catch(() => {})
  return new Started(live, outcomes, results)
}

/** A run whose calls the caller adds itself. */
export function openRun(live: LiveRun, store: ResultStore): OpenRun {
  const outcomes = live.run.outcomes()
  const results = outcomes.then((ended) => store.settle(ended))
  return new Opened(live, outcomes, results)
}

/** A class, because an object that is written with a getter costs the engine a hidden class each time. */
class Started implements StartedRun {
  readonly results: Promise<readonly ToolResultBlock[]>
  protected readonly live: LiveRun
  readonly #outcomes: Promise<readonly CallOutcome[]>

  constructor(live: LiveRun, outcomes: Promise<readonly CallOutcome[]>, results: Promise<readonly ToolResultBlock[]>) {
    this.results = results
    this.live = live
    this.#outcomes = outcomes
  }

  /** Made when asked for: most hosts never do. */
  get newMessages(): Promise<readonly Message[]> {
    return addedBy(this.#outcomes)
  }

  get stopped(): Promise<RunStop | undefined> {
    const told = () => this.live.stopped
    return this.#outcomes.then(told, told)
  }

  interrupt(message?: string): { readonly mustWait: boolean } {
    return this.live.run.interrupt(message)
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolEvent> {
    return this.live.run[Symbol.asyncIterator]()
  }
}

class Opened extends Started implements OpenRun {
  add(call: ToolUseBlock): void {
    if (!this.live.run.isComplete) addBlock(this.live.run, call)
  }

  end(): void {
    this.live.run.end()
  }
}

function addedBy(outcomes: Promise<readonly CallOutcome[]>): Promise<readonly Message[]> {
  return outcomes.then(
    (ended) => ended.flatMap(({ newMessages = [] }) => newMessages),
    () => [],
  )
}

/** Asked in a way that whatever a host passes can be answered. */
function isStream(calls: Calls | null | undefined): calls is AsyncIterable<ToolUseBlock> {
  return (calls as Partial<AsyncIterable<ToolUseBlock>> | null | undefined)?.[Symbol.asyncIterator] !== undefined
}

function feedAll(calls: Iterable<ToolUseBlock>, run: CallRun): Promise<readonly CallOutcome[]> {
  try {
    for (const call of calls) addBlock(run, call)
  } catch (error) {
    return discard(run, error)
  }
  run.end()
  return run.outcomes()
}

async function discard(run: CallRun, cause: unknown): Promise<never> {
  const begun = await run.discard('The message that made this call broke off.')
  throw new MessageDiscardedError(
    begun.map(({ block }) => block),
    cause,
  )
}

async function feedStream(calls: AsyncIterable<ToolUseBlock>, live: LiveRun): Promise<readonly CallOutcome[]> {
  const { run } = live
  const watched = live.watch()
  try {
    await feedEach(calls, run, watched.stopped)
  } catch (error) {
    return await discard(run, error)
  } finally {
    watched.unwatch()
  }
  run.end()
  return run.outcomes()
}

async function feedEach(calls: AsyncIterable<ToolUseBlock>, run: CallRun, stopped: Promise<void>): Promise<void> {
  const iterator = calls[Symbol.asyncIterator]()
  let isStopped = false
  const stop = stopped.then(() => {
    isStopped = true
  })
  while (!isStopped) {
    const next = await Promise.race([iterator.next(), stop]).catch((error: unknown) => {
      // A stream that ends in an error because it was called off has not broken off by itself.
      if (!isStopped) throw error
    })
    if (next === undefined) break
    if (next.done === true) return
    addBlock(run, next.value)
  }
  // The stream is told, and not waited for: it may be stuck in the very thing that was called off.
  iterator.return?.()?.catch(() => {})
}
