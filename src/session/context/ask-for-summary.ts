import type { Model, ModelMessage, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import { askOnce, type ModelAnswer } from '../loop/ask-once.js'

/** Enough for the summary of a long conversation. */
const MAX_SUMMARY_TOKENS = 8_000
/** How often the older half of the messages is dropped if the request for a summary is too long. */
const MAX_CUTS = 4

const SUMMARY_PROMPT = `<system-reminder>
The conversation is about to exceed your context window. It will continue from a summary that you write now; you will not see the rest again. Do not call any tools. Write for yourself, so that you can continue without asking again:

1. What the user wants: every request in order, with all stated limits and preferences.
2. What was done and decided, and why; what was tried and did not work.
3. The current state: files read that matter and files changed (paths, what is in them, the exact names and signatures you will need), commands and their outcome, open errors.
4. What is left: the step you were at, the next ones, and anything the user must be told.

Be exact and complete, without introduction.
</system-reminder>`

/**
 * Asks the model for a summary of a conversation. `request` is the request that would have been sent next, so that the
 * provider's cache applies.
 */
export async function askForSummary(
  model: Model,
  request: ModelRequest,
  { instructions, signal }: { readonly instructions: readonly string[]; readonly signal: AbortSignal },
): Promise<ModelAnswer> {
  const limitedRequest = limitOutput(request)
  let { messages } = limitedRequest
  for (let cutCount = 0; ; cutCount++) {
    const messagesWithPrompt = appendText(messages, buildSummaryPrompt(instructions))
    try {
      return await requestAnswer(model, { ...limitedRequest, messages: messagesWithPrompt }, signal)
    } catch (error) {
      const isTooLong = error instanceof ModelError && error.kind === 'too_long'
      if (!isTooLong || cutCount >= MAX_CUTS || messages.length < 2) throw error
      messages = takeNewerHalf(messages)
    }
  }
}

/**
 * Limits the output, except with thinking. Thinking counts as output: a lower limit would restrict it, and changing its
 * configuration would lose the cache.
 */
function limitOutput(request: ModelRequest): ModelRequest {
  const hasThinking = request.thinking !== undefined && request.thinking.type !== 'disabled'
  return hasThinking ? request : { ...request, maxOutputTokens: MAX_SUMMARY_TOKENS }
}

async function requestAnswer(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { text, ...answer } = await askOnce(model, request, signal)
  if (text.trim() === '' || answer.stopReason === 'refusal')
    throw new ModelError('invalid_request', 'The model returned no summary.')
  return { text: text.trim(), ...answer }
}

/** Adds the text to the last user message, because user and assistant must take turns. */
function appendText(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  const lastMessage = messages.at(-1)
  const block = { type: 'text', text } as const
  if (lastMessage?.type !== 'user') return [...messages, { type: 'user', content: [block] }]
  const previousBlocks =
    typeof lastMessage.content === 'string'
      ? [{ type: 'text', text: lastMessage.content } as const]
      : lastMessage.content
  return [...messages.slice(0, -1), { type: 'user', content: [...previousBlocks, block] }]
}

/** Returns the newer half of the messages. It begins with a user message and has no results whose calls were dropped. */
function takeNewerHalf(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const from = messages.findIndex(({ type }, index) => index >= messages.length / 2 && type === 'assistant')
  const newerMessages = messages.slice(from === -1 ? -1 : from)
  const firstMessage = newerMessages[0]
  if (firstMessage?.type === 'assistant') return [{ type: 'user', content: OMITTED_NOTE }, ...newerMessages]
  if (firstMessage === undefined || typeof firstMessage.content === 'string') return newerMessages
  const content = firstMessage.content.filter(({ type }) => type !== 'tool_result')
  return [{ type: 'user', content: content.length === 0 ? OMITTED_NOTE : content }]
}

const OMITTED_NOTE = '[Earlier messages were removed, because they no longer fit.]'

function buildSummaryPrompt(instructions: readonly string[]): string {
  return [SUMMARY_PROMPT, ...instructions.map((text) => `Additional instructions for this summary: ${text}`)].join(
    '\n\n',
  )
}
