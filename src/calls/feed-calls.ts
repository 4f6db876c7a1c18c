import type { ToolResultBlock, ToolUseBlock } from '../contract/messages.js'
import { reasonOf } from '../shared/reason-of.js'
import type { CallOutcome } from './call-outcome.js'

/** The calls of one model message: complete, or as a stream of blocks. */
export type CallSource = Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>

/** The part of a run that calls are fed into. */
interface CallSink {
  add(toolUse: ToolUseBlock): void
  end(): void
  outcomes(): Promise<readonly CallOutcome[]>
  discard(message: string): Promise<readonly CallOutcome[]>
}

/** The model's message broke off after some of its calls had started: none of their results may be sent to the model. */
export class MessageDiscardedError extends Error {
  override readonly name = 'MessageDiscardedError'

  constructor(
    /** The results of the calls that had started, so that their effects can be reported. */
    readonly effects: readonly ToolResultBlock[],
    cause: unknown,
  ) {
    super(`The message was discarded: ${reasonOf(cause)}. ${effects.length} of its calls had started.`, { cause })
  }
}

/**
 * Adds the calls to the run, each as soon as its block is complete, and ends the run. Resolves with all outcomes.
 * `stopPromise` ends a stream early: the caller cancelled it, or the runtime is shutting down.
 */
export async function feedCalls(
  run: CallSink,
  calls: CallSource,
  stopPromise: Promise<void>,
): Promise<readonly CallOutcome[]> {
  try {
    if (isStream(calls)) await feedStream(run, calls, stopPromise)
    else for (const call of calls) run.add(call)
  } catch (cause) {
    const startedOutcomes = await run.discard('The message that made this call broke off.')
    throw new MessageDiscardedError(
      startedOutcomes.map(({ block }) => block),
      cause,
    )
  }
  run.end()
  return run.outcomes()
}

/** Whether the calls are a stream. Hosts can pass anything, so the check must not throw. */
function isStream(calls: CallSource | null | undefined): calls is AsyncIterable<ToolUseBlock> {
  return (calls as Partial<AsyncIterable<ToolUseBlock>> | null | undefined)?.[Symbol.asyncIterator] !== undefined
}

async function feedStream(
  run: CallSink,
  calls: AsyncIterable<ToolUseBlock>,
  stopPromise: Promise<void>,
): Promise<void> {
  const iterator = calls[Symbol.asyncIterator]()
  let isStopped = false
  const stoppedPromise = stopPromise.then(() => {
    isStopped = true
  })
  while (!isStopped) {
    const nextResult = await Promise.race([iterator.next(), stoppedPromise]).catch((error: unknown) => {
      // A stream that fails because it was stopped is not reported as incomplete.
      if (!isStopped) throw error
    })
    if (nextResult === undefined) break
    if (nextResult.done === true) return
    run.add(nextResult.value)
  }
  // Not awaited: the stream may hang in the operation that was stopped.
  iterator.return?.()?.catch(() => {})
}

/** Returns why a block is not a valid call; undefined if it is one. */
export function findBlockProblem(block: ToolUseBlock): string | undefined {
  try {
    if (typeof block.id !== 'string') return '`id` must be a string'
    if (typeof block.name !== 'string') return '`name` must be a string'
    // A getter that throws should fail here rather than in the middle of the run.
    void block.input
    return undefined
  } catch (error) {
    return `it cannot be read (${error instanceof Error ? error.message : 'unknown error'})`
  }
}

/** Copies an invalid block, so that it can have an error result. An id or name that is not a string or cannot be read becomes empty. */
export function toReadableBlock(block: ToolUseBlock): ToolUseBlock {
  return { type: 'tool_use', id: readText(block, 'id'), name: readText(block, 'name'), input: undefined }
}

function readText(block: ToolUseBlock, member: 'id' | 'name'): string {
  try {
    const value: unknown = block[member]
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}
