import type { AssistantMessage, Message, ToolResultBlock, ToolUseBlock, UserMessage } from '../../contract/messages.js'
import type { ModelEvent, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import type { OpenRun } from '../../contract/runtime.js'
import { cutText } from '../../shared/cut-text.js'
import { DEFAULT_PACING } from '../../shared/for-each-in-slices.js'
import { reasonOf } from '../../shared/reason-of.js'
import { waitUnlessAborted } from '../../shared/waiting.js'
import { addMessage } from '../conversation/conversation.js'
import { toToolMessage } from '../messages/attachments.js'
import { orderResults } from '../messages/to-model-messages.js'
import { Answer, type AnswerOutcome, type CallResults } from './answer.js'
import type { ActiveQuery } from './query-state.js'
import { asModelError } from './retry-policy.js'

/**
 * Sends a request and receives the answer. Each call starts as soon as its own block is complete. At the end the answer
 * and the results of its calls are in the conversation, even after an interruption.
 */
export async function readAnswer(request: ModelRequest, query: ActiveQuery): Promise<AnswerOutcome> {
  const reader = new AnswerReader(request, query)
  try {
    await reader.receive()
    reader.keepMessage()
    await reader.addResults()
    return reader
  } finally {
    query.host?.onRun?.(undefined)
  }
}

class AnswerReader implements AnswerOutcome {
  readonly answer: Answer
  message: AssistantMessage | undefined
  calls: CallResults | undefined
  readonly #request: ModelRequest
  readonly #query: ActiveQuery
  #run: OpenRun | undefined

  constructor(request: ModelRequest, query: ActiveQuery) {
    this.#request = request
    this.#query = query
    this.answer = new Answer(query.state.model.id)
  }

  async receive(): Promise<void> {
    const { signal } = this.#query
    // An abort ends the wait even if the model ignores its signal.
    if (!signal.aborted) await waitUnlessAborted(this.#stream(), signal)
    this.#run?.end()
  }

  async #stream(): Promise<void> {
    const { answer } = this
    const { state, signal, emit } = this.#query
    try {
      const stream = state.model.stream(this.#request, { signal })[Symbol.asyncIterator]()
      while (answer.stopReason === undefined) {
        const { done, value } = await stream.next()
        if (signal.aborted) return
        if (done === true) throw new ModelError('stream_cut', "The model's answer ended before it was complete.")
        for (const [index, event] of splitLongDelta(value).entries()) {
          if (index > 0) await DEFAULT_PACING.pause()
          emit({ type: 'model-event', event: this.#addEvent(event) })
        }
        this.#startCalls()
      }
      finishStream(stream)
    } catch (error) {
      if (!signal.aborted) answer.error = asModelError(error)
    }
  }

  /** Adds an event to the answer. Returns the event, with the id that its call has in this conversation. */
  #addEvent(event: ModelEvent): ModelEvent {
    const call = this.answer.addEvent(event)
    const isChanged = call !== undefined && event.type === 'block-ended' && event.block !== call
    return isChanged ? { type: 'block-ended', block: call } : event
  }

  #startedCallCount = 0

  #startCalls(): void {
    const { calls } = this.answer
    while (this.#startedCallCount < calls.length) {
      this.#run ??= this.#openRun()
      this.#run.add(calls[this.#startedCallCount++] as ToolUseBlock)
    }
  }

  #openRun(): OpenRun {
    const { runtime, conversation, host, signal, emit } = this.#query
    const run = runtime.openRun({
      signal,
      // A copy: tools see the conversation as it was when the model answered.
      messages: [...conversation.messages],
      onEvent: (event) => emit({ type: 'tool-event', event }),
    })
    host?.onRun?.(run)
    return run
  }

  /** Adds the message before any result, because providers refuse results without their calls. */
  keepMessage(): void {
    const { answer } = this
    const hasEnded = answer.stopReason !== undefined
    const isInterrupted = !hasEnded && answer.error === undefined
    // A message that broke off is kept if it has complete calls: they have run.
    if (!hasEnded && !isInterrupted && answer.calls.length === 0) return
    this.message = answer.toMessage({ includesUnfinishedText: isInterrupted })
    if (this.message === undefined) return
    const { model, usage } = answer
    addMessage(this.#query, this.message, { model, ...(usage !== undefined && { usage }) })
  }

  async addResults(): Promise<void> {
    if (this.#run === undefined) return
    const { messages, ...calls } = await collectResults(this.answer.calls, this.#run)
    this.calls = calls
    for (const message of messages) addMessage(this.#query, message)
    await this.#query.host?.afterResults?.(this.answer.calls, calls.results)
  }
}

/** Waits for the calls of a message. Each has exactly one result, in call order, even if the run fails. */
export async function collectResults(
  calls: readonly ToolUseBlock[],
  run: Pick<OpenRun, 'results' | 'newMessages' | 'stopped'>,
): Promise<CallResults & { readonly messages: readonly Message[] }> {
  let runResults: readonly ToolResultBlock[] = []
  let missingText = 'The call was cancelled before it began.'
  try {
    runResults = await run.results
  } catch (error) {
    missingText = `The result of this call was lost: ${reasonOf(error)}`
  }
  const results = orderResults(calls, runResults, (id) => createFailedResult(id, missingText))
  const [newMessages, runStop] = await Promise.all([run.newMessages, run.stopped])
  const message: UserMessage = { type: 'user', content: results }
  return { results, messages: [message, ...newMessages.map(toToolMessage)], runStop }
}

function createFailedResult(id: string, content: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: id, content, is_error: true }
}

/** Lets the stream clean up after the last event without waiting for it. */
function finishStream(stream: AsyncIterator<unknown>): void {
  stream.next().catch(() => {})
}

/** Drawing more text at once would block the event loop. Providers usually send a few words. */
const MAX_DELTA_CHARS = 8_000

function splitLongDelta(event: ModelEvent): readonly ModelEvent[] {
  if (event.type !== 'text-delta' || event.text.length <= MAX_DELTA_CHARS) return [event]
  const parts: ModelEvent[] = []
  for (let rest = event.text; rest !== ''; ) {
    const text = cutText(rest, MAX_DELTA_CHARS)
    parts.push({ ...event, text })
    rest = rest.slice(text.length)
  }
  return parts
}
