import { addUsage, costOf, type ModelUsage, NO_USAGE } from '../../contract/model/model.js'
import type { CallRow, PartBytes, RequestRow, SessionRows } from './rows.js'

/** A part of a request with its tokens. */
export interface PartTokens extends PartBytes {
  readonly tokens: number
}

/** The figures of one tool. */
interface ToolTotals {
  readonly tool: string
  calls: number
  failed: number
  waitedMs: number
  askedMs: number
  ranMs: number
  resultBytes: number
  /** Tokens of its definition, calls and results over all requests, and their share of the cost of input. */
  inputTokens: number
  inputCostUsd: number
}

/** The figures of a model, an agent or a request. */
export interface UsageTotals {
  readonly name: string
  requests: number
  usage: ModelUsage
  costUsd: number
  /** Whether the prices of a request are unknown, so that its cost is missing. */
  isCostPartial: boolean
}

/** The figures of a session. */
export interface SessionTotals {
  readonly calls: number
  readonly failedCalls: number
  readonly durationMs: number
  readonly total: UsageTotals
  readonly tools: readonly ToolTotals[]
  readonly models: readonly UsageTotals[]
  readonly agents: readonly UsageTotals[]
  /** By what decided, such as `allow by rule`. */
  readonly decisions: Readonly<Record<string, number>>
}

/** About this many bytes of JSON are one token. Only used for requests whose tokens the provider has not reported. */
const BYTES_PER_TOKEN = 3.3

/** Returns the input tokens of a request: as the provider counted them, otherwise estimated. */
export function countInputTokens({ usage, parts }: RequestRow): {
  readonly tokens: number
  readonly isCounted: boolean
} {
  if (usage !== undefined) return { tokens: usage.input + usage.cacheRead + usage.cacheWrite, isCounted: true }
  const bytes = parts.reduce((sum, part) => sum + weightOf(part), 0)
  return { tokens: Math.ceil(bytes / BYTES_PER_TOKEN), isCounted: false }
}

/** Divides the tokens of a request among parts by their bytes. The tokens of the parts add up to those of the request. */
export function divideTokens(request: RequestRow, parts: readonly PartBytes[] = request.parts): readonly PartTokens[] {
  const { tokens } = countInputTokens(request)
  const weights = parts.map(weightOf)
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0)
  let givenTokens = 0
  let givenWeight = 0
  return parts.map((part, index) => {
    givenWeight += weights[index] ?? 0
    // Rounding the running sum keeps the total exact.
    const end = totalWeight === 0 ? 0 : Math.round((tokens * givenWeight) / totalWeight)
    const share = end - givenTokens
    givenTokens = end
    return { ...part, tokens: share }
  })
}

/** The model does not receive deferred definitions, and the frame may be negative if a line was lost. */
function weightOf({ group, bytes }: PartBytes): number {
  return group === 'deferred tools' ? 0 : Math.max(0, bytes)
}

/** Returns the cost of a request in US dollars; undefined if its usage or the prices are unknown. */
export function costOfRequest({ usage, prices }: RequestRow): number | undefined {
  return usage === undefined ? undefined : costOf(usage, prices)
}

/** Returns the cost of what a request sent, without the answer. */
function inputCostOf({ usage, prices }: RequestRow): number | undefined {
  return usage === undefined ? undefined : costOf({ ...usage, output: 0 }, prices)
}

/** Returns what it cost that a request did not start like the previous one: the tokens that were not read from the cache. */
export function costOfChange(request: RequestRow): { readonly tokens: number; readonly costUsd: number | undefined } {
  const { change, keptBytes, previousBytes = 0, bytes, prices } = request
  if (change === undefined) return { tokens: 0, costUsd: 0 }
  const lostBytes = Math.max(0, Math.min(previousBytes, bytes) - keptBytes)
  const tokens = Math.round((countInputTokens(request).tokens * lostBytes) / Math.max(1, bytes))
  const saving =
    prices === undefined ? undefined : (prices.cacheWrite ?? prices.input) - (prices.cacheRead ?? prices.input)
  return { tokens, costUsd: saving === undefined ? undefined : (tokens * saving) / 1_000_000 }
}

/** Computes the figures of a session. */
export function computeTotals(rows: SessionRows): SessionTotals {
  const tools = new Map<string, ToolTotals>()
  const models = new Map<string, UsageTotals>()
  const agents = new Map<string, UsageTotals>()
  const total = createUsageTotals('total')
  const decisions: Record<string, number> = {}
  for (const call of rows.calls) {
    addCall(getOrAdd(tools, call.tool, createToolTotals), call)
    if (call.behavior === undefined) continue
    const decision = `${call.behavior} by ${call.reason ?? 'unknown'}`
    decisions[decision] = (decisions[decision] ?? 0) + 1
  }
  for (const request of rows.requests) {
    for (const totals of [
      total,
      getOrAdd(models, request.model, createUsageTotals),
      getOrAdd(agents, rows.agents[request.agent]?.id ?? '', createUsageTotals),
    ])
      addRequest(totals, request)
    addToolShares(tools, request)
  }
  return {
    calls: rows.calls.length,
    failedCalls: rows.calls.filter(({ errorCode }) => errorCode !== undefined).length,
    durationMs: measureDuration(rows),
    total,
    tools: [...tools.values()].sort((a, b) => b.calls - a.calls || b.inputTokens - a.inputTokens),
    models: [...models.values()],
    agents: [...agents.values()],
    decisions,
  }
}

function getOrAdd<T>(map: Map<string, T>, key: string, create: (key: string) => T): T {
  const value = map.get(key) ?? create(key)
  map.set(key, value)
  return value
}

function createToolTotals(tool: string): ToolTotals {
  const counts = { calls: 0, failed: 0, waitedMs: 0, askedMs: 0, ranMs: 0, resultBytes: 0 }
  return { tool, ...counts, inputTokens: 0, inputCostUsd: 0 }
}

function createUsageTotals(name: string): UsageTotals {
  return { name, requests: 0, usage: NO_USAGE, costUsd: 0, isCostPartial: false }
}

function addCall(totals: ToolTotals, call: CallRow): void {
  const { queuedAt, startedAt, askedAt, answeredAt, runAt, ranAt, endedAt, errorCode, resultBytes = 0 } = call
  totals.calls++
  if (errorCode !== undefined) totals.failed++
  totals.resultBytes += resultBytes
  if (startedAt !== undefined) totals.waitedMs += Math.max(0, startedAt - queuedAt)
  if (askedAt !== undefined && answeredAt !== undefined) totals.askedMs += Math.max(0, answeredAt - askedAt)
  if (runAt !== undefined && ranAt !== undefined) totals.ranMs += ranAt - runAt
  else if (startedAt !== undefined && endedAt !== undefined) totals.ranMs += Math.max(0, endedAt - startedAt)
}

function addRequest(totals: UsageTotals, request: RequestRow): void {
  totals.requests++
  if (request.usage === undefined) return
  totals.usage = addUsage(totals.usage, request.usage)
  const cost = costOfRequest(request)
  if (cost === undefined) totals.isCostPartial = true
  else totals.costUsd += cost
}

const TOOL_GROUPS: ReadonlySet<string> = new Set(['calls', 'results', 'built-in tools', 'MCP tools'])

function addToolShares(tools: Map<string, ToolTotals>, request: RequestRow): void {
  const { tokens: allTokens } = countInputTokens(request)
  const cost = inputCostOf(request) ?? 0
  for (const { group, detail, tokens } of divideTokens(request)) {
    if (!TOOL_GROUPS.has(group) || detail === '') continue
    const totals = getOrAdd(tools, detail, createToolTotals)
    totals.inputTokens += tokens
    if (allTokens > 0) totals.inputCostUsd += (cost * tokens) / allTokens
  }
}

function measureDuration({ startedAt, endedAt, calls, messages }: SessionRows): number {
  const lastAt = Math.max(endedAt ?? 0, messages.at(-1)?.at ?? 0, calls.at(-1)?.endedAt ?? 0)
  return startedAt === undefined ? 0 : Math.max(0, lastAt - startedAt)
}
