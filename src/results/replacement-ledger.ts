import { createHash } from 'node:crypto'
import { appendFileSync, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ContentReplacementState } from '../contract/host/host-state.js'
import type { ToolResultBlock } from '../contract/messages.js'
import { makeFolder } from '../system/make-folder.js'
import { countResultChars, describeEmptyResult, type MessageResult, readResultText } from './message-result.js'
import { describeFailure } from './preview.js'
import { toSafeFileName } from './result-file.js'

interface LedgerOptions {
  /** The results directory of the session. */
  readonly directory: string
  /** Left out for the main conversation. */
  readonly agentId?: string
  /** Called when the disk fails. The conversation continues without the record. */
  readonly onProblem?: (message: string) => void
}

/** Records how each result of one agent was sent. A recorded decision is final: later requests repeat the same bytes. */
export class ReplacementLedger {
  readonly #decisions = new Map<string, ReplacementDecision>()
  readonly #seenIds = new Set<string>()
  readonly #replacements = new Map<string, string>()
  /** For reused ids: maps the id and the digest of a replacement to the key of its decision. */
  readonly #sentForms = new Map<string, string>()
  readonly #options: LedgerOptions | undefined
  readonly #record: ReplacementRecord | undefined

  private constructor(decisions: Iterable<ReplacementDecision>, options?: LedgerOptions, record?: ReplacementRecord) {
    for (const decision of decisions) this.#add(decision)
    this.#options = options
    this.#record = record
  }

  /** Creates a ledger that is not written to disk. */
  static createInMemory(): ReplacementLedger {
    return new ReplacementLedger([])
  }

  /** Loads the decisions of an earlier process, if any, and appends new ones to the same file. */
  static async load(options: LedgerOptions): Promise<ReplacementLedger> {
    const path = toRecordPath(options)
    const decisions = await readReplacementRecord(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') reportProblem(options, `cannot be read`, error)
      return []
    })
    return new ReplacementLedger(decisions, options, createRecord(options))
  }

  /** The decisions, for the host. The returned sets also show later decisions. */
  get state(): ContentReplacementState {
    return { seenIds: this.#seenIds, replacements: this.#replacements }
  }

  /** The ledger of a sub-agent that forks this conversation. Later decisions are independent. */
  fork(agentId: string): ReplacementLedger {
    const decisions = [...this.#decisions.values()]
    if (this.#options === undefined) return new ReplacementLedger(decisions)
    const options = { ...this.#options, agentId }
    return new ReplacementLedger(decisions, options, createRecord(options, decisions))
  }

  /** Returns the result as it was sent; undefined if no decision about it is recorded. */
  findFrozen(result: MessageResult): MessageResult | undefined {
    if (!this.#seenIds.has(result.block.tool_use_id)) return undefined
    const block = describeEmptyResult(result.block)
    const decision = this.#decisions.get(this.#findKey(block))
    return decision && toSentResult(decision, block, result.maxResultSizeChars)
  }

  /** Records the results as final, in memory and on disk, and returns them as they must be sent. */
  freeze(results: readonly MessageResult[]): readonly MessageResult[] {
    const newDecisions: ReplacementDecision[] = []
    const sentResults = results.map((result) => {
      const block = describeEmptyResult(result.block)
      const key = this.#findKey(block)
      let decision = this.#decisions.get(key)
      if (decision === undefined) {
        decision = createDecision(key, block, result.replacement)
        this.#add(decision)
        newDecisions.push(decision)
      }
      return toSentResult(decision, block, result.maxResultSizeChars)
    })
    if (newDecisions.length > 0) this.#record?.append(newDecisions)
    return sentResults
  }

  /** Adds a decision unless there is already one with its id: the first is final. */
  #add(decision: ReplacementDecision): void {
    if (this.#decisions.has(decision.id)) return
    this.#decisions.set(decision.id, decision)
    this.#seenIds.add(decision.id)
    if (!('replacement' in decision)) return
    this.#replacements.set(decision.id, decision.replacement)
    const { id, replacement } = decision
    const hashIndex = id.lastIndexOf('#')
    if (hashIndex !== -1) this.#sentForms.set(`${id.slice(0, hashIndex)}#${hashText(replacement)}`, id)
  }

  /**
   * Returns the key of the decision about a result. Some providers restart their ids in every turn: a different text under a
   * known id is a different result.
   */
  #findKey(block: ToolResultBlock): string {
    const id = block.tool_use_id
    const knownDecision = this.#decisions.get(id)
    if (knownDecision === undefined || concernsBlock(knownDecision, block)) return id
    const key = `${id}#${hashResultText(block)}`
    return this.#sentForms.get(key) ?? key
  }
}

function toSentResult(
  decision: ReplacementDecision,
  block: ToolResultBlock,
  maxResultSizeChars: number,
): MessageResult {
  if (!('replacement' in decision)) return { block, maxResultSizeChars, isSent: true }
  return { block, maxResultSizeChars, replacement: decision.replacement, isSent: true }
}

function createRecord(
  options: LedgerOptions,
  inheritedDecisions: readonly ReplacementDecision[] = [],
): ReplacementRecord {
  return new ReplacementRecord(
    toRecordPath(options),
    (error) => reportProblem(options, 'cannot be written', error),
    inheritedDecisions,
  )
}

function toRecordPath({ directory, agentId }: LedgerOptions): string {
  const agent = agentId === undefined ? '' : `-${toSafeFileName(agentId)}`
  return join(resolve(directory), `replacements${agent}.jsonl`)
}

function reportProblem(options: LedgerOptions, failure: string, error: unknown): void {
  const consequence = 'a resumed conversation may send different results than before'
  options.onProblem?.(`${toRecordPath(options)} ${failure} (${describeFailure(error)}): ${consequence}.`)
}

/** How a result was sent, with a digest that distinguishes it from another result with the same id. */
type ReplacementDecision = WholeResultRecord | ReplacedResultRecord

interface WholeResultRecord {
  readonly id: string
  readonly chars: number
  readonly digest: string
}

interface ReplacedResultRecord extends WholeResultRecord {
  readonly replacement: string
}

function createDecision(id: string, block: ToolResultBlock, replacement?: string): ReplacementDecision {
  const decision = { id, chars: countResultChars(block), digest: hashResultText(block) }
  return replacement === undefined ? decision : { ...decision, replacement }
}

/** Whether the decision is about this result or its sent form. */
function concernsBlock(decision: ReplacementDecision, block: ToolResultBlock): boolean {
  if ('replacement' in decision && decision.replacement === readResultText(block)) return true
  return decision.chars === countResultChars(block) && decision.digest === hashResultText(block)
}

function hashResultText(block: ToolResultBlock): string {
  return hashText(readResultText(block))
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** A file of decisions, one JSON line each. */
class ReplacementRecord {
  readonly #path: string
  readonly #onProblem: (error: unknown) => void
  #unwrittenDecisions: ReplacementDecision[]

  constructor(
    path: string,
    onProblem: (error: unknown) => void,
    inheritedDecisions: Iterable<ReplacementDecision> = [],
  ) {
    this.#path = path
    this.#onProblem = onProblem
    this.#unwrittenDecisions = [...inheritedDecisions]
  }

  /**
   * Appends the decisions. Decisions that cannot be written are written with the next call. Synchronous, because every
   * request waits for it and an asynchronous write would take longer.
   */
  append(decisions: readonly ReplacementDecision[]): void {
    this.#unwrittenDecisions.push(...decisions)
    // The leading newline ends a line that a crash or a full disk left incomplete.
    const lines = `\n${this.#unwrittenDecisions.map((decision) => JSON.stringify(decision)).join('\n')}\n`
    try {
      this.#write(lines)
      this.#unwrittenDecisions = []
    } catch (error) {
      this.#onProblem(error)
    }
  }

  #write(lines: string): void {
    const folder = dirname(this.#path)
    if (!existsSync(folder)) makeFolder(folder)
    appendFileSync(this.#path, lines, { mode: 0o600 })
  }
}

/** Returns the decisions of a file, in order. Incomplete or invalid lines are skipped. */
async function readReplacementRecord(path: string): Promise<readonly ReplacementDecision[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  return lines.flatMap((line) => parseDecision(line) ?? [])
}

function parseDecision(line: string): ReplacementDecision | undefined {
  if (line === '') return undefined
  try {
    const value: unknown = JSON.parse(line)
    return isDecision(value) ? value : undefined
  } catch {
    // A crash or a full disk left the line incomplete.
    return undefined
  }
}

function isDecision(value: unknown): value is ReplacementDecision {
  if (typeof value !== 'object' || value === null) return false
  const { id, chars, digest, replacement } = value as Record<string, unknown>
  if (typeof id !== 'string' || typeof chars !== 'number' || typeof digest !== 'string') return false
  return replacement === undefined || typeof replacement === 'string'
}
