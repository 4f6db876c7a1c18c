import type { Model, ModelMessage, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { askOnce, type ModelAnswer } from '../loop/ask-once.js'
import { summaryRequest } from './summary-request.js'

/** Long enough for a long day's work. */
const MAX_SUMMARY_TOKENS = 8_000
/** Each time the older half is left out. */
const MAX_CUTS = 4

/** Has the model sum up a conversation. The request is the one that would have been sent, so that the provider's cache serves it. */
export async function askForSummary(
  model: Model,
  request: ModelRequest,
  { instructions, signal }: { readonly instructions: readonly string[]; readonly signal: AbortSignal },
): Promise<ModelAnswer> {
  const sent = withLimit(request)
  let { messages } = sent
  for (let cuts = 0; ; cuts++) {
    const asked = withText(messages, summaryRequest(instructions))
    try {
      return await answerOf(model, { ...sent, messages: asked }, signal)
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.kind === 'too_long'
      if (!isTooLong || cuts >= MAX_CUTS || messages.length < 2) throw error
      messages = newerHalf(messages)
    }
  }
}

/** Thinking is a part of the output: another limit would leave it less room than it had, or change it and lose the cache. */
function withLimit(request: ModelRequest): ModelRequest {
  const thinks = request.thinking !== undefined && request.thinking.type !== 'disabled'
  return thinks ? request : { ...request, maxOutputTokens: MAX_SUMMARY_TOKENS }
}

async function answerOf(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { text, ...rest } = await askOnce(model, request, signal)
  if (text.trim() === '' || rest.stopReason === 'refusal')
    throw new ModelError('invalid_request', 'The model wrote no summary.')
  return { text: text.trim(), ...rest }
}

/** The last message is the user's: the request joins it, so that users and assistant still take turns. */
function withText(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  const last = messages.at(-1)
  const block = { type: 'text', text } as const
  if (last?.type !== 'user') return [...messages, { type: 'user', content: [block] }]
  const before = typeof last.content === 'string' ? [{ type: 'text', text: last.content } as const] : last.content
  return [...messages.slice(0, -1), { type: 'user', content: [...before, block] }]
}

/** Begins with a message of the user, and without results whose calls are gone. */
function newerHalf(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const from = messages.findIndex(({ type }, index) => index >= messages.length / 2 && type === 'assistant')
  const kept = messages.slice(from === -1 ? -1 : from)
  const first = kept[0]
  if (first?.type === 'assistant') return [{ type: 'user', content: EARLIER }, ...kept]
  if (first === undefined || typeof first.content === 'string') return kept
  const content = first.content.filter(({ type }) => type !== 'tool_result')
  return [{ type: 'user', content: content.length === 0 ? EARLIER : content }]
}

const EARLIER = '[What came before does not fit any more.]'
