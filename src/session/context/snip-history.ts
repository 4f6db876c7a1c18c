import { ToolCallError } from '../../contract/errors.js'
import type { AssistantMessage, AttachmentMessage, Message } from '../../contract/messages.js'
import type { HistoryReport, HistoryStep, SnipOutcome, SnipRequest } from '../../contract/ports/history.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { formatCounted } from '../../shared/counted.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { SNIP_ATTACHMENT } from '../messages/attachments.js'
import { estimateMessagesTokens } from './message-tokens.js'

const ID_CHARS = 8
const MAX_TEXT_CHARS = 80
const MAX_REASON_CHARS = 200

/** A step with the positions of its messages: the answer, then the messages with its results. */
interface PlacedStep extends HistoryStep {
  readonly indexes: readonly number[]
}

/** A conversation after a removal or a restoration. */
export interface ChangedHistory {
  readonly messages: readonly Message[]
  readonly outcome: SnipOutcome
}

/** Lists the answers of the model with the results of their calls. `keptTools` are tools whose results must stay. */
export function listSteps(messages: readonly Message[], keptTools: ReadonlySet<string>): readonly PlacedStep[] {
  const lastAnswer = messages.findLastIndex(({ type }) => type === 'assistant')
  const usedIds = new Map<string, number>()
  return messages.flatMap((message, index): PlacedStep[] => {
    if (message.type !== 'assistant') return []
    const { indexes, isMixed } = findStepMessages(messages, index)
    const stepMessages = indexes.map((at) => messages[at] as Message)
    const tools = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
    const keptBecause =
      index === lastAnswer ? 'it is the latest answer' : explainKept(message, stepMessages, { keptTools, isMixed })
    return [
      {
        id: createId(message, usedIds),
        tokens: Math.round(estimateMessagesTokens(stepMessages)),
        tools,
        text: textOf(message),
        indexes,
        ...(keptBecause !== undefined && { keptBecause }),
      },
    ]
  })
}

/** Finds the messages with results for the calls of an answer. A message that also contains other blocks must stay. */
function findStepMessages(messages: readonly Message[], answer: number): { indexes: number[]; isMixed: boolean } {
  const indexes = [answer]
  let isMixed = false
  for (let index = answer + 1; index < messages.length; index++) {
    const message = messages[index]
    if (message?.type === 'assistant') break
    if (message?.type !== 'user' || typeof message.content === 'string') continue
    const resultCount = message.content.filter(({ type }) => type === 'tool_result').length
    if (resultCount === 0) continue
    indexes.push(index)
    if (resultCount < message.content.length) isMixed = true
  }
  return { indexes, isMixed }
}

/** Returns why a step cannot be removed. Half of a call and its result is never removed. */
function explainKept(
  answer: AssistantMessage,
  stepMessages: readonly Message[],
  { keptTools, isMixed }: { readonly keptTools: ReadonlySet<string>; readonly isMixed: boolean },
): string | undefined {
  const calls = answer.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
  const results = stepMessages.flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block] : []))
      : [],
  )
  const answeredIds = new Set(results.map(({ tool_use_id: id }) => id))
  const callIds = new Set(calls.map(({ id }) => id))
  if (calls.some(({ id }) => !answeredIds.has(id))) return 'a call has no result yet'
  if (results.some(({ tool_use_id: id }) => !callIds.has(id))) return 'it contains the result of another step'
  if (isMixed) return 'a message of the user is part of its results'
  const keptCall = calls.find(({ name }) => keptTools.has(name))
  if (keptCall !== undefined) return `results of ${keptCall.name} apply to the whole conversation`
  const loadsTools = results.some(
    ({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'tool_reference'),
  )
  return loadsTools ? 'it loads tools that are still in use' : undefined
}

/** The id is made from the content, so that it stays the same when other steps are removed. Equal answers are numbered. */
function createId(answer: AssistantMessage, usedIds: Map<string, number>): string {
  const hash = hashText(JSON.stringify(answer.content))
  const count = (usedIds.get(hash) ?? 0) + 1
  usedIds.set(hash, count)
  return count === 1 ? hash : `${hash}.${count}`
}

function hashText(text: string): string {
  return computeContentHash(Buffer.from(text)).slice(0, ID_CHARS)
}

function textOf({ content }: AssistantMessage): string {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ')
  return shortenText(text.replace(/\s+/g, ' ').trim(), MAX_TEXT_CHARS)
}

/** Removes steps. What is before them stays as it is, so that the provider can use its cache up to there. */
export function removeSteps(
  messages: readonly Message[],
  { from, to, reason }: SnipRequest,
  keptTools: ReadonlySet<string>,
): ChangedHistory {
  const steps = listSteps(messages, keptTools)
  const first = findStep(steps, from)
  const last = findStep(steps, to)
  if (last < first)
    throw new ToolCallError('input_refused', `Step ${to} is before step ${from}. Give the older one as \`from\`.`)
  const chosen = steps.slice(first, last + 1)
  const kept = chosen.filter(({ keptBecause }) => keptBecause !== undefined)
  if (kept.length > 0) {
    const list = kept.map(({ id, keptBecause }) => `${id}: ${keptBecause}`).join('; ')
    throw new ToolCallError('input_refused', `These steps cannot be removed: ${list}. Choose a range without them.`)
  }
  const removedIndexes = new Set(chosen.flatMap(({ indexes }) => indexes))
  const snipId = hashText(`${from} ${to} ${messages.length}`)
  const tokens = chosen.reduce((sum, step) => sum + step.tokens, 0)
  const text = createNote(snipId, chosen.length, reason)
  const changed: Message[] = []
  let run: Message[] = []
  const closeRun = () => {
    if (run.length === 0) return
    const isFirst = changed.every((message) => readSnip(message)?.snipId !== snipId)
    const facts = isFirst ? { text, steps: chosen.length, tokens } : { text: '', steps: 0, tokens: 0 }
    changed.push({ type: 'attachment', kind: SNIP_ATTACHMENT, data: { snipId, ...facts, removed: run } })
    run = []
  }
  for (const [index, message] of messages.entries()) {
    if (removedIndexes.has(index)) {
      run.push(message)
      continue
    }
    closeRun()
    changed.push(message)
  }
  closeRun()
  const firstIndex = Math.min(...removedIndexes)
  const tokensAfter = Math.round(estimateMessagesTokens(changed.slice(firstIndex)))
  return { messages: changed, outcome: { snipId, steps: chosen.length, tokens, tokensAfter } }
}

function createNote(snipId: string, count: number, reason: string | undefined): string {
  const because = reason === undefined ? '' : ` Reason: ${shortenText(reason, MAX_REASON_CHARS)}`
  return `You removed ${formatCounted(count, 'earlier step')} here. To get them back, use restore "${snipId}".${because}`
}

function findStep(steps: readonly PlacedStep[], id: string): number {
  const index = steps.findIndex((step) => step.id === id)
  if (index === -1)
    throw new ToolCallError('input_refused', `There is no step ${JSON.stringify(id)}. CtxInspect lists the steps.`)
  return index
}

/** Puts the messages of a removal back to their places. */
export function restoreSteps(messages: readonly Message[], snipId: string): ChangedHistory {
  const firstIndex = messages.findIndex((message) => readSnip(message)?.snipId === snipId)
  const snip = readSnip(messages[firstIndex])
  if (snip === undefined)
    throw new ToolCallError(
      'input_refused',
      `There is no removal ${JSON.stringify(snipId)} in this conversation. CtxInspect lists those that can be restored.`,
    )
  const restored = messages.flatMap((message) => {
    const found = readSnip(message)
    return found?.snipId === snipId ? found.removed : [message]
  })
  const tokensAfter = Math.round(estimateMessagesTokens(restored.slice(firstIndex)))
  return { messages: restored, outcome: { snipId, steps: snip.steps, tokens: snip.tokens, tokensAfter } }
}

/** Lists the removals that can be restored. */
export function listSnips(messages: readonly Message[]): HistoryReport['snips'] {
  return messages.flatMap((message) => {
    const snip = readSnip(message)
    return snip === undefined || snip.steps === 0
      ? []
      : [{ snipId: snip.snipId, steps: snip.steps, tokens: snip.tokens }]
  })
}

interface Snip {
  readonly snipId: string
  readonly steps: number
  readonly tokens: number
  readonly removed: readonly Message[]
}

/** Reads the record of a removal. Malformed records are skipped, because transcripts may be edited. */
function readSnip(message: Message | undefined): Snip | undefined {
  if (message?.type !== 'attachment' || message.kind !== SNIP_ATTACHMENT) return undefined
  const { data } = message satisfies AttachmentMessage
  if (!isRecord(data) || typeof data.snipId !== 'string' || !Array.isArray(data.removed)) return undefined
  const removed = data.removed.filter((part): part is Message => isRecord(part) && typeof part.type === 'string')
  return { snipId: data.snipId, steps: Number(data.steps) || 0, tokens: Number(data.tokens) || 0, removed }
}
