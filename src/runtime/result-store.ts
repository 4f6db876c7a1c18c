import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CallOutcome } from '../calls/call-outcome.js'
import type { ContentReplacementState } from '../contract/host/host-state.js'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import type { Message, ToolResultBlock } from '../contract/messages.js'
import { createMessagePreparer, OpenMessage, settleResults } from '../results/message-preparer.js'
import { areResultsShort, type MessageResult, toSentBlock } from '../results/message-result.js'
import { ReplacementLedger } from '../results/replacement-ledger.js'

type LedgerOrPromise = ReplacementLedger | Promise<ReplacementLedger>

/** Stores the long results of one agent, and records how each was sent, so that every later request has the same bytes. */
export class ResultStore {
  /** Undefined until the name of a temporary folder is needed. */
  #directory: string | undefined
  readonly #isTemporary: boolean
  readonly #ledger: () => LedgerOrPromise

  private constructor(directory: string | undefined, ledger: () => LedgerOrPromise) {
    this.#directory = directory
    this.#isTemporary = directory === undefined
    this.#ledger = ledger
  }

  /** Stores results and decisions in a folder of the host. Decisions of an earlier process still apply. */
  static openInFolder(directory: string, onProblem?: (message: string) => void): ResultStore {
    const options = { directory, ...(onProblem !== undefined && { onProblem }) }
    return new ResultStore(
      resolve(directory),
      loadOnce(() => ReplacementLedger.load(options)),
    )
  }

  /** Stores results until the runtime is disposed of. The folder is created for the first long result, because most runs have none. */
  static createTemporary(): ResultStore {
    const ledger = ReplacementLedger.createInMemory()
    return new ResultStore(undefined, () => ledger)
  }

  get directory(): string {
    // A random name, so that no other user can create the folder first.
    this.#directory ??= join(tmpdir(), `haft-results-${randomUUID()}`)
    return this.#directory
  }

  /** Which results were replaced; undefined while the ledger is being loaded. */
  get state(): ContentReplacementState | undefined {
    const ledger = this.#ledger()
    return ledger instanceof Promise ? undefined : ledger.state
  }

  /** Returns the results of one complete message as they are sent to the model. */
  async settle(outcomes: readonly CallOutcome[]): Promise<readonly ToolResultBlock[]> {
    const results = outcomes.map(toMessageResult)
    const sentResults = areResultsShort(results)
      ? results
      : await settleResults(results, { directory: this.directory, ledger: await this.#ledger() })
    return reportShownOutcomes(outcomes, sentResults.map(toSentBlock))
  }

  /** Opens a message whose results are sent one after the other. */
  openMessage(): (outcomes: readonly CallOutcome[]) => Promise<readonly ToolResultBlock[]> {
    let message: OpenMessage | undefined
    return async (outcomes) => {
      const ledger = await this.#ledger()
      message ??= new OpenMessage({ directory: this.directory, ledger })
      return reportShownOutcomes(outcomes, await message.send(outcomes.map(toMessageResult)))
    }
  }

  /** Creates the function that prepares the history before every request; `limitOf` is `maxResultSizeChars` by tool name. */
  createPreparer(
    limitOf: (toolName: string | undefined) => number,
  ): (messages: readonly Message[]) => Promise<readonly Message[]> {
    let prepare: ReturnType<typeof createMessagePreparer> | undefined
    return async (messages) => {
      const ledger = await this.#ledger()
      prepare ??= createMessagePreparer({ directory: this.directory, ledger, limitOf })
      return prepare(messages)
    }
  }

  /** The store of a sub-agent: the same folder, with a copy of the decisions so far. */
  fork(agentId: string): ResultStore {
    const forkedLedger = loadOnce(() => {
      const ledger = this.#ledger()
      return ledger instanceof Promise
        ? ledger.then((loadedLedger) => loadedLedger.fork(agentId))
        : ledger.fork(agentId)
    })
    // The copy is made now: later decisions of the parent do not apply to the sub-agent.
    forkedLedger()
    return new ResultStore(this.directory, forkedLedger)
  }

  async dispose(): Promise<void> {
    const directory = this.#isTemporary ? this.#directory : undefined
    if (directory !== undefined) await rm(directory, { recursive: true, force: true })
  }
}

/** Loads the ledger on first use, then returns it synchronously. A failed load is tried again on the next use. */
function loadOnce(load: () => LedgerOrPromise): () => LedgerOrPromise {
  let ledger: LedgerOrPromise | undefined
  return () => {
    if (ledger !== undefined) return ledger
    const pendingLoad = load()
    ledger = pendingLoad
    if (pendingLoad instanceof Promise) {
      pendingLoad.then(
        (loadedLedger) => {
          ledger = loadedLedger
        },
        () => {
          ledger = undefined
        },
      )
    }
    return pendingLoad
  }
}

/** Notifies each tool whose result is sent in full. */
function reportShownOutcomes(
  outcomes: readonly CallOutcome[],
  blocks: readonly ToolResultBlock[],
): readonly ToolResultBlock[] {
  outcomes.forEach(({ block, onShown }, index) => {
    if (onShown === undefined || blocks[index]?.content !== block.content) return
    try {
      onShown()
    } catch {
      // The result is already sent, so a failing listener is ignored.
    }
  })
  return blocks
}

function toMessageResult({ block, tool }: CallOutcome): MessageResult {
  return {
    block,
    maxResultSizeChars: tool?.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS,
    previewChars: tool?.previewChars,
  }
}
