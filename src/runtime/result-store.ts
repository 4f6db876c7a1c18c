import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { CallOutcome } from '../execution/execute-call.js'
import { type MessageResult, sentBlock } from '../results/message-result.js'
import { OpenMessage } from '../results/open-message.js'
import { ReplacementLedger } from '../results/replacement-ledger.js'
import { settleResults } from '../results/settle-results.js'

/** Where one agent's long results go, and how each was sent. */
export class ResultStore {
  readonly #given: string | undefined
  #folder: string | undefined
  readonly #ledger: ReplacementLedger

  constructor(directory?: string, ledger = ReplacementLedger.inMemory()) {
    this.#given = directory
    this.#ledger = ledger
  }

  /** Made when the first long result comes: most runs never have one. */
  get directory(): string {
    this.#folder ??= this.#given ?? mkdtempSync(join(tmpdir(), 'haft-results-'))
    return this.#folder
  }

  get state() {
    return this.#ledger.state
  }

  /** The results of one whole message as the model gets them, now and in every later request. */
  async settle(outcomes: readonly CallOutcome[]): Promise<readonly ToolResultBlock[]> {
    const results = outcomes.map(messageResult)
    if (isPlain(results)) return results.map(({ block }) => block)
    return (await settleResults(results, { directory: this.directory, ledger: this.#ledger })).map(sentBlock)
  }

  /** A message whose results go out one after the other. */
  openMessage(): (outcomes: readonly CallOutcome[]) => Promise<readonly ToolResultBlock[]> {
    const message = new OpenMessage({ directory: this.directory, ledger: this.#ledger })
    return (outcomes) => message.send(outcomes.map(messageResult))
  }

  fork(agentId: string): ResultStore {
    return new ResultStore(this.directory, this.#ledger.fork(agentId))
  }

  async dispose(): Promise<void> {
    if (this.#given === undefined && this.#folder !== undefined)
      await rm(this.#folder, { recursive: true, force: true })
  }
}

function messageResult({ block, tool }: CallOutcome): MessageResult {
  return { block, maxResultSizeChars: tool?.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS }
}

/** Far below every limit: short texts are sent as they are in every request, so nothing needs to be recorded. */
const PLAIN_CHARS = 1_000

function isPlain(results: readonly MessageResult[]): boolean {
  if (results.length > 100) return false
  return results.every(({ block: { content }, maxResultSizeChars }) => {
    return (
      typeof content === 'string' &&
      content.trim() !== '' &&
      content.length <= Math.min(PLAIN_CHARS, maxResultSizeChars)
    )
  })
}
