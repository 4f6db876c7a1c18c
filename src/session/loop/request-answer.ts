import type { ToolDefinition } from '../../contract/messages.js'
import type { ModelRequest, ModelUsage } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import type { Tools } from '../../contract/tool/tool.js'
import { addMessage } from '../conversation/conversation.js'
import type { EndReason } from '../conversation/session-event.js'
import { toModelMessages } from '../messages/to-model-messages.js'
import type { AnswerOutcome } from './answer.js'
import type { QueryOptions, WindowState } from './query-options.js'
import type { ActiveQuery } from './query-state.js'
import { readAnswer } from './read-answer.js'
import { RetryPolicy, type RetryStep, systemRetryClock } from './retry-policy.js'

/** A request that failed and is not retried. */
export interface RequestFailure {
  readonly reason: Extract<EndReason, 'context_full' | 'model_failed' | 'interrupted'>
  readonly message: string
  readonly error: ModelError
}

/** How often a conversation that is too long may be shortened for one request. */
const MAX_REWRITES = 3

/**
 * Asks the model until there is an answer, or until retrying is pointless. An answer that broke off counts if one of its
 * calls was complete.
 */
export async function requestAnswer(query: ActiveQuery): Promise<AnswerOutcome | RequestFailure> {
  const { state, emit, signal } = query
  const recovery = new Recovery(query)
  for (;;) {
    const request = await prepareNextRequest(query)
    query.conversation.recordRequest(request, state.model)
    emit({ type: 'request-started', turn: state.turns + 1, model: state.model.id })
    const answerOutcome = await readAnswer(request, query)
    const { error, isShown } = answerOutcome.answer
    if (error === undefined || answerOutcome.message !== undefined || signal.aborted) return answerOutcome
    if (isShown) emit({ type: 'message-discarded', reason: error.message })
    const failure = await recovery.recover(error)
    if (failure !== undefined) return failure
  }
}

/** Adds pending announcements to the conversation, then builds the request. */
async function prepareNextRequest(query: ActiveQuery): Promise<ModelRequest> {
  const { runtime, conversation, announce, state } = query
  const tools = await runtime.definitions(state.model.facts)
  const toolAnnouncement = await runtime.announce(conversation.messages)
  const announcements = announce?.(conversation.messages) ?? []
  if (toolAnnouncement !== undefined) addMessage(query, toolAnnouncement)
  for (const message of announcements) addMessage(query, message)
  return buildRequest(query, tools)
}

/** The inputs from which the requests of a conversation are built. */
export type RequestSource = Pick<
  QueryOptions,
  'runtime' | 'conversation' | 'system' | 'maxOutputTokens' | 'thinking' | 'conversationId'
>

/**
 * Builds the request for the conversation in its present state. Every request about a conversation is built here, so
 * that the provider finds its beginning in the cache.
 */
export async function buildRequest(source: RequestSource, tools: readonly ToolDefinition[]): Promise<ModelRequest> {
  const { runtime, conversation, system, maxOutputTokens, thinking, conversationId } = source
  const messages = toModelMessages(await runtime.prepareMessages(conversation.messages))
  return {
    system,
    tools,
    builtInTools: countBuiltIn(tools, runtime.pool),
    messages,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(thinking !== undefined && { thinking }),
    ...(conversationId !== undefined && { conversationId }),
  }
}

const builtInCounts = new WeakMap<readonly ToolDefinition[], { readonly pool: Tools; readonly count: number }>()

/** Returns the number of built-in tools at the beginning of the list. Cached while both lists are the same arrays. */
function countBuiltIn(tools: readonly ToolDefinition[], pool: Tools): number {
  const cachedCount = builtInCounts.get(tools)
  if (cachedCount?.pool === pool) return cachedCount.count
  const names = new Set(pool.flatMap((tool) => (isMcpTool(tool) ? [] : [tool.name])))
  const firstMcpIndex = tools.findIndex(({ name }) => !names.has(name))
  const count = firstMcpIndex === -1 ? tools.length : firstMcpIndex
  builtInCounts.set(tools, { pool, count })
  return count
}

/** Keeps the conversation within the window of the model. Returns whether it was rewritten. */
export async function shortenConversation(query: ActiveQuery, reason: WindowState['reason']): Promise<boolean> {
  const { context, conversation, runtime, state, host } = query
  if (state.noticeRewrites(conversation.rewriteCount)) runtime.restore(conversation.messages)
  if (context === undefined) return false
  const { model, counted } = state
  const onUsage = (usage: ModelUsage) => state.addUsage(usage)
  const cause = await context.keepWithinWindow({ ...query, model, counted, reason, onUsage })
  if (cause === undefined) return false
  state.counted = undefined
  state.noticeRewrites(conversation.rewriteCount)
  // Discovered tools stay discovered, even if the messages that record the discovery were removed.
  runtime.restore(conversation.messages)
  if (cause === 'compaction') await host?.afterCompaction?.()
  return true
}

/** Reacts to the failures of one request. */
class Recovery {
  readonly #query: ActiveQuery
  readonly #policy: RetryPolicy
  #rewriteCount = 0

  constructor(query: ActiveQuery) {
    this.#query = query
    this.#policy = new RetryPolicy((query.retries ?? systemRetryClock).random)
  }

  /** Prepares the next attempt. Returns the failure if there will be none. */
  async recover(error: ModelError): Promise<RequestFailure | undefined> {
    const { runtime } = this.#query
    if (runtime.fallBack(error)) return undefined
    if (error.kind !== 'too_long') return this.#retry(error, this.#policy.decideAfter(error))
    if (this.#rewriteCount++ < MAX_REWRITES && (await shortenConversation(this.#query, 'too_long'))) return undefined
    return { reason: 'context_full', message: error.message, error }
  }

  async #retry(error: ModelError, step: RetryStep): Promise<RequestFailure | undefined> {
    const { state, emit, fallbackModel, signal, retries = systemRetryClock } = this.#query
    switch (step.type) {
      case 'give_up':
        return { reason: 'model_failed', message: step.message, error }
      case 'change_model':
        if (fallbackModel === undefined || fallbackModel === state.model) return this.#retry(error, step.fallback)
        emit({ type: 'model-changed', from: state.model.id, to: fallbackModel.id, reason: step.reason })
        state.model = fallbackModel
        this.#policy.reset()
        return undefined
      case 'wait':
        emit({ type: 'request-retried', attempt: step.attempt, delayMs: step.delayMs, error })
        await retries.delay(step.delayMs, signal)
        return signal.aborted ? { reason: 'interrupted', message: error.message, error } : undefined
    }
  }
}
