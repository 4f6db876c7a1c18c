import type { Message, UserMessage } from '../../contract/messages.js'
import { readPrompt } from '../../session/messages/user-request-of.js'
import type { Session } from '../../session/session.js'
import type { PromptSubmission } from './app-session.js'

interface SteeringPrompt {
  readonly submission: PromptSubmission
  readonly prompt: UserMessage['content']
  /** What the conversation will contain when the model has received it. */
  readonly text: string
}

/** Prompts that the user has entered and the model has not received. None is ever lost. */
export class WaitingPrompts {
  readonly #session: Session
  /** For after the current work. */
  readonly #queue: PromptSubmission[] = []
  /** Given to the session while it works: the model receives them with its next request. */
  readonly #steering: SteeringPrompt[] = []

  constructor(session: Session) {
    this.#session = session
  }

  get queuedTexts(): readonly string[] {
    return this.#queue.map(({ text }) => text)
  }

  get steeringTexts(): readonly string[] {
    return this.#steering.map(({ submission }) => submission.text)
  }

  get isEmpty(): boolean {
    return this.#queue.length + this.#steering.length === 0
  }

  enqueue(submission: PromptSubmission): void {
    this.#queue.push(submission)
  }

  takeNext(): PromptSubmission | undefined {
    return this.#queue.shift()
  }

  steer(submission: PromptSubmission, prompt: UserMessage['content']): void {
    this.#interject({ submission, prompt, text: readPrompt({ type: 'user', content: prompt }) ?? '' })
  }

  /** Returns the input that the model has received with this message. */
  takeReceived(message: Message): PromptSubmission | undefined {
    const text = readPrompt(message)
    const index = this.#steering.findIndex((steering) => steering.text === text)
    return index === -1 ? undefined : this.#steering.splice(index, 1)[0]?.submission
  }

  /** Takes back the newest prompt, to edit it. The others keep waiting. */
  takeNewest(): PromptSubmission | undefined {
    return this.#queue.pop() ?? this.#takeNewestSteering()
  }

  /** After the work: what the model has not received goes to the front of the queue. */
  keepUndelivered(): void {
    this.#session.takeQueued()
    this.#queue.unshift(...this.#steering.splice(0).map(({ submission }) => submission))
  }

  #takeNewestSteering(): PromptSubmission | undefined {
    this.#session.takeQueued()
    const steering = this.#steering.splice(0)
    const newest = steering.pop()
    for (const other of steering) this.#interject(other)
    return newest?.submission
  }

  #interject(steering: SteeringPrompt): void {
    this.#steering.push(steering)
    this.#session.interject(steering.prompt)
  }
}
