import type { ToolEvent } from '../contract/events.js'
import type { ToolResultBlock, ToolUseBlock } from '../contract/messages.js'
import type { ToolRun } from '../contract/runtime.js'
import type { CallRun } from '../orchestration/run-calls.js'
import { MessageDiscardedError } from './message-discarded-error.js'
import type { ResultStore } from './result-store.js'

/** Feeds calls into a run: all at once, or each when its block is complete in the model's stream. */
export function startRun(
  run: CallRun,
  calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>,
  store: ResultStore,
): ToolRun {
  const results = Symbol.asyncIterator in calls ? feedStream(run, calls, store) : feedAll(run, calls, store)
  // Who only watches the events must not be ended by a rejection nobody waits for.
  results.catch(() => {})
  return {
    results,
    interrupt: (message) => run.interrupt(message),
    [Symbol.asyncIterator]: (): AsyncIterator<ToolEvent> => run[Symbol.asyncIterator](),
  }
}

function feedAll(run: CallRun, calls: Iterable<ToolUseBlock>, store: ResultStore): Promise<readonly ToolResultBlock[]> {
  for (const call of calls) run.add(call)
  run.end()
  return run.outcomes().then((outcomes) => store.settle(outcomes))
}

async function feedStream(
  run: CallRun,
  calls: AsyncIterable<ToolUseBlock>,
  store: ResultStore,
): Promise<readonly ToolResultBlock[]> {
  try {
    for await (const call of calls) run.add(call)
  } catch (error) {
    run.cancel({ type: 'aborted', message: 'The message that made this call broke off.' })
    run.end()
    throw new MessageDiscardedError(
      (await run.outcomes()).map(({ block }) => block),
      error,
    )
  }
  run.end()
  return store.settle(await run.outcomes())
}
