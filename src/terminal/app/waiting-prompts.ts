import type { Message, UserMessage } from '../../contract/messages.js'
import { readPrompt } from '../../session/messages/user-request-of.js'
import type { Session } from '../../session/session.js'
import type { PromptSubmission } from './app-session.js'

interface SteeringPrompt {
  readonly submission: PromptSubmission
  readonly prompt: UserMessage['content']
  /** Identifies the message in the conversation when the model receives it. */
  readonly text: string
}

/** Prompts that the user has submitted and the model has not received yet. They are kept after an interruption. */
export class WaitingPrompts {
  readonly #session: Session
  /** Prompts that are sent after the current turn. */
  readonly #queue: PromptSubmission[] = []
  /** Prompts that the session already has: the model receives them with its next request. */
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

  /** Removes and returns the prompt that the model receives with this message. */
  takeReceived(message: Message): PromptSubmission | undefined {
    const text = readPrompt(message)
    const index = this.#steering.findIndex((steeringPrompt) => steeringPrompt.text === text)
    return index === -1 ? undefined : this.#steering.splice(index, 1)[0]?.submission
  }

  /** Takes back the newest prompt, to edit it. The others keep waiting. */
  takeNewest(): PromptSubmission | undefined {
    return this.#queue.pop() ?? this.#takeNewestSteering()
  }

  /** Called after a turn: moves undelivered prompts to the front of the queue. */
  requeueUndelivered(): void {
    this.#session.takeQueued()
    this.#queue.unshift(...this.#steering.splice(0).map(({ submission }) => submission))
  }

  #takeNewestSteering(): PromptSubmission | undefined {
    this.#session.takeQueued()
    const prompts = this.#steering.splice(0)
    const newestPrompt = prompts.pop()
    for (const prompt of prompts) this.#interject(prompt)
    return newestPrompt?.submission
  }

  #interject(steeringPrompt: SteeringPrompt): void {
    this.#steering.push(steeringPrompt)
    this.#session.interject(steeringPrompt.prompt)
  }
}
