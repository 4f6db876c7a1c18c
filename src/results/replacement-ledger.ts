import { join, resolve } from 'node:path'
import type { ContentReplacementState } from '../contract/host/host-state.js'
import type { ToolResultBlock } from '../contract/messages.js'
import { describeFailure } from './describe-failure.js'
import type { MessageResult } from './message-result.js'
import { decisionOf, digestOf, isAbout, type ReplacementDecision, textDigest } from './replacement-decision.js'
import { ReplacementRecord, readReplacementRecord } from './replacement-record.js'
import { safeFileName } from './safe-file-name.js'
import { sayEmpty } from './say-empty.js'

export interface LedgerOptions {
  /** The results directory of the session. */
  readonly directory: string
  /** Left out for the main conversation. */
  readonly agentId?: string
  /** Hears what the disk refused; the conversation goes on without. */
  readonly onProblem?: (message: string) => void
}

/** How each result of one agent was sent. What is frozen stays: the same bytes in every later request. */
export class ReplacementLedger {
  readonly #decisions = new Map<string, ReplacementDecision>()
  readonly #seenIds = new Set<string>()
  readonly #replacements = new Map<string, string>()
  /** Of ids that were used again: what was sent, to the decision that sent it. */
  readonly #sentForms = new Map<string, string>()
  readonly #options: LedgerOptions | undefined
  readonly #record: ReplacementRecord | undefined

  private constructor(decisions: Iterable<ReplacementDecision>, options?: LedgerOptions, record?: ReplacementRecord) {
    for (const decision of decisions) this.#add(decision)
    this.#options = options
    this.#record = record
  }

  /** Decisions that live no longer than the process. */
  static inMemory(): ReplacementLedger {
    return new ReplacementLedger([])
  }

  /** The decisions of an earlier process, if there are any; new ones are added to the same file. */
  static async load(options: LedgerOptions): Promise<ReplacementLedger> {
    const path = recordPath(options)
    const decisions = await readReplacementRecord(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') report(options, `cannot be read`, error)
      return []
    })
    return new ReplacementLedger(decisions, options, recordOf(options))
  }

  /** What the host keeps of it: a live view. */
  get state(): ContentReplacementState {
    return { seenIds: this.#seenIds, replacements: this.#replacements }
  }

  /** The ledger of a sub-agent that starts from this conversation; from here on neither knows what the other decides. */
  fork(agentId: string): ReplacementLedger {
    const decisions = [...this.#decisions.values()]
    if (this.#options === undefined) return new ReplacementLedger(decisions)
    const options = { ...this.#options, agentId }
    return new ReplacementLedger(decisions, options, recordOf(options, decisions))
  }

  /** The result as it was sent; undefined where it never was. */
  frozen(result: MessageResult): MessageResult | undefined {
    if (!this.#seenIds.has(result.block.tool_use_id)) return undefined
    const block = sayEmpty(result.block)
    const decision = this.#decisions.get(this.#keyOf(block))
    return decision && asSent(decision, block, result.maxResultSizeChars)
  }

  /** Freezes the results as they are now, on disk, too. Answers what holds. */
  freeze(results: readonly MessageResult[]): readonly MessageResult[] {
    const fresh: ReplacementDecision[] = []
    const held = results.map((result) => {
      const block = sayEmpty(result.block)
      const key = this.#keyOf(block)
      let decision = this.#decisions.get(key)
      if (decision === undefined) {
        decision = decisionOf(key, block, result.replacement)
        this.#add(decision)
        fresh.push(decision)
      }
      return asSent(decision, block, result.maxResultSizeChars)
    })
    if (fresh.length > 0) this.#record?.append(fresh)
    return held
  }

  /** The first decision about an id stands. */
  #add(decision: ReplacementDecision): void {
    if (this.#decisions.has(decision.id)) return
    this.#decisions.set(decision.id, decision)
    this.#seenIds.add(decision.id)
    if (!('replacement' in decision)) return
    this.#replacements.set(decision.id, decision.replacement)
    const { id, replacement } = decision
    const mark = id.lastIndexOf('#')
    if (mark !== -1) this.#sentForms.set(`${id.slice(0, mark)}#${digestOf(replacement)}`, id)
  }

  /** Some providers count their ids anew in each turn: another text under a known id is another result. */
  #keyOf(block: ToolResultBlock): string {
    const id = block.tool_use_id
    const known = this.#decisions.get(id)
    if (known === undefined || isAbout(known, block)) return id
    const key = `${id}#${textDigest(block)}`
    return this.#sentForms.get(key) ?? key
  }
}

function asSent(decision: ReplacementDecision, block: ToolResultBlock, maxResultSizeChars: number): MessageResult {
  if (!('replacement' in decision)) return { block, maxResultSizeChars, isSent: true }
  return { block, maxResultSizeChars, replacement: decision.replacement, isSent: true }
}

function recordOf(options: LedgerOptions, inherited: readonly ReplacementDecision[] = []): ReplacementRecord {
  return new ReplacementRecord(recordPath(options), (error) => report(options, 'cannot be written', error), inherited)
}

function recordPath({ directory, agentId }: LedgerOptions): string {
  const agent = agentId === undefined ? '' : `-${safeFileName(agentId)}`
  return join(resolve(directory), `replacements${agent}.jsonl`)
}

function report(options: LedgerOptions, what: string, error: unknown): void {
  const consequence = 'a resumed conversation may not find its results as they were sent'
  options.onProblem?.(`${recordPath(options)} ${what} (${describeFailure(error)}): ${consequence}.`)
}
