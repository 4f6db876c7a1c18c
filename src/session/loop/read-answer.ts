import type { AssistantMessage, ToolUseBlock } from '../../contract/messages.js'
import type { Model, ModelEvent, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import type { StartedRun } from '../../contract/runtime.js'
import { addMessage } from '../add-message.js'
import type { SessionEvent } from '../session-event.js'
import { Answer } from './answer.js'
import { answerCalls, type CallAnswers } from './answer-calls.js'
import { asModelError } from './as-model-error.js'
import { CallFeed } from './call-feed.js'
import { Interleaved } from './interleaved.js'
import type { QueryOptions } from './query-options.js'

type Around = Pick<QueryOptions, 'runtime' | 'conversation' | 'signal' | 'host'> & { readonly model: Model }

/** What came of one request. */
export interface AnswerRead {
  readonly answer: Answer
  /** What is in the conversation of it; undefined where it was empty, or broke off before it had said anything whole. */
  readonly message: AssistantMessage | undefined
  readonly calls: CallAnswers | undefined
}

/**
 * Sends a request and takes in the answer; each call runs as soon as its own block is whole. In the end the answer and
 * the results of its calls are in the conversation, also where the reader leaves early.
 */
export async function* readAnswer(request: ModelRequest, around: Around): AsyncGenerator<SessionEvent, AnswerRead> {
  const reading = new Reading(request, around)
  try {
    yield* reading.events()
    yield* reading.settle()
    return reading
  } finally {
    await reading.close()
  }
}

class Reading implements AnswerRead {
  readonly answer: Answer
  message: AssistantMessage | undefined
  calls: CallAnswers | undefined
  readonly #request: ModelRequest
  readonly #around: Around
  readonly #feed = new CallFeed()
  readonly #events = new Interleaved<SessionEvent>()
  readonly #controller = new AbortController()
  readonly #abort = () => this.#controller.abort()
  #run: StartedRun | undefined
  #isSettled = false

  constructor(request: ModelRequest, around: Around) {
    this.#request = request
    this.#around = around
    this.answer = new Answer(around.model.id)
    if (around.signal.aborted) this.#abort()
    else around.signal.addEventListener('abort', this.#abort, { once: true })
  }

  async *events(): AsyncGenerator<SessionEvent, void> {
    const { signal } = this.#controller
    if (signal.aborted) return
    const leaveModel = this.#events.add(this.#modelEvents())
    const onAbort = () => {
      this.#feed.end()
      leaveModel()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    yield* this.#events
  }

  /** What the answer came to is made a part of the conversation. */
  async *settle(): AsyncGenerator<SessionEvent, void> {
    yield* await this.#settled()
  }

  /** Whoever leaves early leaves a conversation that can go on. */
  async close(): Promise<void> {
    // What has come to its end is left alone: its connection is used again, and a call may go on in the background.
    if (!this.#isSettled) this.#abort()
    this.#around.signal.removeEventListener('abort', this.#abort)
    try {
      await this.#settled()
    } finally {
      this.#around.host?.onRun?.(undefined)
    }
  }

  async #settled(): Promise<readonly SessionEvent[]> {
    if (this.#isSettled) return []
    this.#isSettled = true
    const kept = this.#keep()
    if (this.#run === undefined) return kept
    this.calls = await answerCalls(this.answer.calls, this.#run)
    const { conversation } = this.#around
    return [...kept, ...this.calls.messages.map((message) => addMessage(conversation, message))]
  }

  async *#modelEvents(): AsyncGenerator<SessionEvent, void> {
    const { signal } = this.#controller
    const { answer } = this
    try {
      const stream = this.#around.model.stream(this.#request, { signal })[Symbol.asyncIterator]()
      while (answer.stopReason === undefined) {
        const { done, value } = await stream.next()
        if (signal.aborted) return
        if (done === true) throw new ModelError('stream_cut', 'The answer of the model stopped before its end.')
        yield { type: 'model-event', event: this.#take(value) }
      }
      finish(stream)
    } catch (error) {
      if (signal.aborted) return
      answer.error = asModelError(error)
    }
    this.#feed.end()
    yield* this.#keep()
  }

  /** Gives the event as others see it: a call goes by one id from here on. */
  #take(event: ModelEvent): ModelEvent {
    const call = this.answer.take(event)
    if (call === undefined) return event
    this.#begin(call)
    return { type: 'block-ended', block: call }
  }

  #begin(call: ToolUseBlock): void {
    const { runtime, conversation, host } = this.#around
    this.#feed.add(call)
    if (this.#run !== undefined) return
    const { signal } = this.#controller
    this.#run = runtime.run(this.#feed, { signal, messages: conversation.messages })
    this.#events.add(toolEvents(this.#run))
    host?.onRun?.(this.#run)
  }

  /** Before any of its results, so that nothing has a result that nobody asked for. */
  #keep(): readonly SessionEvent[] {
    const { answer } = this
    if (this.message !== undefined) return []
    const hasEnded = answer.stopReason !== undefined
    const isInterrupted = !hasEnded && answer.error === undefined
    // A message that broke off counts as far as its calls: what has been done cannot be unsaid.
    if (!hasEnded && !isInterrupted && answer.calls.length === 0) return []
    const message = answer.message({ withUnended: isInterrupted })
    if (message === undefined) return []
    const facts = { model: answer.model, ...(answer.usage !== undefined && { usage: answer.usage }) }
    const added = addMessage(this.#around.conversation, message, facts)
    this.message = message
    return [added]
  }
}

async function* toolEvents(run: StartedRun): AsyncGenerator<SessionEvent, void> {
  for await (const event of run) yield { type: 'tool-event', event }
}

/** The message is whole; what the stream has to do after it is nobody's to wait for. */
function finish(stream: AsyncIterator<unknown>): void {
  stream.next().catch(() => {})
}
