import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CallOutcome } from '../calls/call.js'
import type { ContentReplacementState } from '../contract/host/host-state.js'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import type { Message, ToolResultBlock } from '../contract/messages.js'
import { messagePreparer, OpenMessage, settleResults } from '../results/message-preparer.js'
import { type MessageResult, sentBlock } from '../results/message-result.js'
import { ReplacementLedger } from '../results/replacement-ledger.js'
import { areShort } from '../results/short-results.js'

type Ledger = ReplacementLedger | Promise<ReplacementLedger>

/** Where one agent's long results go, and how each was sent: the same bytes in every later request. */
export class ResultStore {
  readonly directory: string
  readonly #isTemporary: boolean
  readonly #ledger: () => Ledger

  private constructor(directory: string, isTemporary: boolean, ledger: () => Ledger) {
    this.directory = directory
    this.#isTemporary = isTemporary
    this.#ledger = ledger
  }

  /** Results and decisions that outlive the process, in a folder of the host; what an earlier process decided holds. */
  static inFolder(directory: string, onProblem?: (message: string) => void): ResultStore {
    const options = { directory, ...(onProblem !== undefined && { onProblem }) }
    return new ResultStore(
      resolve(directory),
      false,
      onceThere(() => ReplacementLedger.load(options)),
    )
  }

  /** Results that are gone with the runtime. The folder is made with the first long one: most runs never have any. */
  static temporary(): ResultStore {
    const ledger = ReplacementLedger.inMemory()
    // Nobody can guess the name, so that nobody can have laid a folder of it for us.
    return new ResultStore(join(tmpdir(), `haft-results-${randomUUID()}`), true, () => ledger)
  }

  /** Which results were replaced; empty until the first are settled. */
  get state(): ContentReplacementState | undefined {
    const ledger = this.#ledger()
    return ledger instanceof Promise ? undefined : ledger.state
  }

  /** The results of one whole message as the model gets them. */
  async settle(outcomes: readonly CallOutcome[]): Promise<readonly ToolResultBlock[]> {
    const results = outcomes.map(messageResult)
    const settled = areShort(results)
      ? results
      : await settleResults(results, { directory: this.directory, ledger: await this.#ledger() })
    return tellShown(outcomes, settled.map(sentBlock))
  }

  /** A message whose results go out one after the other. */
  openMessage(): (outcomes: readonly CallOutcome[]) => Promise<readonly ToolResultBlock[]> {
    let message: OpenMessage | undefined
    return async (outcomes) => {
      const ledger = await this.#ledger()
      message ??= new OpenMessage({ directory: this.directory, ledger })
      return tellShown(outcomes, await message.send(outcomes.map(messageResult)))
    }
  }

  /** Makes the function that a history goes through before every request; `limitOf` is `maxResultSizeChars` by tool name. */
  preparer(
    limitOf: (toolName: string | undefined) => number,
  ): (messages: readonly Message[]) => Promise<readonly Message[]> {
    let prepare: ReturnType<typeof messagePreparer> | undefined
    return async (messages) => {
      const ledger = await this.#ledger()
      prepare ??= messagePreparer({ directory: this.directory, ledger, limitOf })
      return prepare(messages)
    }
  }

  /** The results of a sub-agent: in the same folder, decided by itself from here on. */
  fork(agentId: string): ResultStore {
    const forked = onceThere(() => {
      const found = this.#ledger()
      return found instanceof Promise ? found.then((ready) => ready.fork(agentId)) : found.fork(agentId)
    })
    // Decided here and now: what the parent decides later is not the sub-agent's.
    forked()
    return new ResultStore(this.directory, false, forked)
  }

  async dispose(): Promise<void> {
    if (this.#isTemporary) await rm(this.directory, { recursive: true, force: true })
  }
}

/** Reads the record when it is first needed; from then on nobody has to wait for it. A failure is the answer only once. */
function onceThere(load: () => Ledger): () => Ledger {
  let ledger: Ledger | undefined
  return () => {
    if (ledger !== undefined) return ledger
    const loading = load()
    ledger = loading
    if (loading instanceof Promise) {
      loading.then(
        (ready) => {
          ledger = ready
        },
        () => {
          ledger = undefined
        },
      )
    }
    return loading
  }
}

/** Tells whoever wants to know that the model gets a result whole. */
function tellShown(outcomes: readonly CallOutcome[], blocks: readonly ToolResultBlock[]): readonly ToolResultBlock[] {
  for (const [index, { block, onShown }] of outcomes.entries()) {
    if (onShown === undefined || blocks[index]?.content !== block.content) continue
    try {
      onShown()
    } catch {
      // The result has gone out; what its tool makes of that is its own affair.
    }
  }
  return blocks
}

function messageResult({ block, tool }: CallOutcome): MessageResult {
  return { block, maxResultSizeChars: tool?.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS }
}
