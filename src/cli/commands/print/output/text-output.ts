import { randomUUID } from 'node:crypto'
import type { MessageToUser } from '../../../../contract/events.js'
import type { QueryEnd, SessionEvent } from '../../../../session/conversation/session-event.js'
import type { CommandHost, CommandIo } from '../../../io/command.js'
import { warn } from '../../../io/warn.js'
import type { ResultBody } from '../../../stream-json/schema/output-schema.js'
import type { PrintOutput } from '../../../stream-json/turn/print-output.js'
import type { CallProgress } from './call-progress.js'

/** End reasons for which the last text is the answer. */
const ANSWER_REASONS: ReadonlySet<ResultBody['end_reason']> = new Set(['completed', 'refused', 'max_output'])

interface TextOutputOptions {
  readonly isVerbose: boolean
  /** Prints the calls to standard error while they run; undefined to print none. */
  readonly progress?: CallProgress | undefined
}

/** Prints only the answer to standard output, and problems to standard error, one per line. */
export class TextOutput implements PrintOutput {
  readonly #io: CommandIo
  readonly #host: CommandHost
  readonly #isVerbose: boolean
  readonly #agentWarnings = new Set<string>()

  readonly #progress: CallProgress | undefined

  constructor(io: CommandIo, host: CommandHost, { isVerbose, progress }: TextOutputOptions) {
    this.#io = io
    this.#host = host
    this.#isVerbose = isVerbose
    this.#progress = progress
  }

  async begin(): Promise<void> {}

  handleEvent(event: SessionEvent): void {
    const problem = describeProblem(event, this.#isVerbose)
    if (problem !== undefined) warn(this.#io, problem)
    if (event.type !== 'tool-event') return
    if (event.event.type === 'user-messaged') this.#printMessage(event.event)
    if (event.agentId === undefined) this.#progress?.handleEvent(event.event)
  }

  /** Prints a message to the user in full to standard error, because standard output has only the answer. */
  #printMessage({ text, files }: MessageToUser): void {
    const title = text === undefined ? 'Files from the agent:' : 'Message from the agent:'
    const lines = [...(text === undefined ? [] : text.trimEnd().split('\n')), ...files.map(({ path }) => `→ ${path}`)]
    this.#io.err(`\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}\n`)
  }

  /** Prints each warning of sub-agents once. Their denied calls are listed at the end. */
  handleAgentEvent(event: SessionEvent): void {
    if (event.type === 'tool-event' && event.event.type === 'user-messaged') this.#printMessage(event.event)
    if (event.type !== 'notice' || event.level !== 'warning' || this.#agentWarnings.has(event.text)) return
    this.#agentWarnings.add(event.text)
    warn(this.#io, event.text)
  }

  async end(result: ResultBody, { text }: Pick<QueryEnd, 'text'>): Promise<void> {
    const { structured_output: structuredOutput } = result
    const answer = structuredOutput === undefined ? text : JSON.stringify(structuredOutput)
    // If the requested structured output is missing, plain text is not printed instead.
    const isAnswer = ANSWER_REASONS.has(result.end_reason) && result.subtype !== 'error_max_structured_output_retries'
    if (isAnswer && answer !== '') await this.#host.write(`${answer.replace(/\n+$/, '')}\n`)
    if (result.end_reason === 'completed' && answer.trim() === '') warn(this.#io, 'The model returned no answer.')
    this.printProblems(result)
  }

  printProblems({ is_error, result, permission_denials: denials }: ResultBody): void {
    // The message to the model explains how to allow the call.
    const refusals = denials.map(
      ({ tool_name, reason, message }) => message ?? `${tool_name} was not permitted: ${reason}`,
    )
    for (const refusal of refusals) warn(this.#io, refusal)
    // If a refusal ended the run, it was printed above.
    if (is_error && !refusals.includes(result)) warn(this.#io, result)
  }
}

function describeProblem(event: SessionEvent, isVerbose: boolean): string | undefined {
  switch (event.type) {
    case 'notice':
      return isVerbose || event.level === 'warning' ? event.text : undefined
    case 'request-retried':
      return `${toSentence(event.error.message)} Retrying in ${Math.max(1, Math.round(event.delayMs / 1000))} s.`
    case 'model-changed':
      return `Switched from ${event.from} to ${event.to}: ${event.reason}`
    case 'messages-rewritten':
      return isVerbose ? `The conversation was shortened (${event.cause}).` : undefined
    default:
      return undefined
  }
}

/** Adds a full stop if the provider's message has none. */
function toSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Prints one JSON object at the end. Warnings during the run are the same as for text output. */
export class JsonOutput implements PrintOutput {
  readonly #host: CommandHost
  readonly #sessionId: string
  readonly #textOutput: TextOutput

  constructor(host: CommandHost, sessionId: string, textOutput: TextOutput) {
    this.#host = host
    this.#sessionId = sessionId
    this.#textOutput = textOutput
  }

  async begin(): Promise<void> {}

  handleEvent(event: SessionEvent): void {
    this.#textOutput.handleEvent(event)
  }

  handleAgentEvent(event: SessionEvent): void {
    this.#textOutput.handleAgentEvent(event)
  }

  async end(result: ResultBody): Promise<void> {
    await this.#host.write(`${JSON.stringify({ ...result, session_id: this.#sessionId, uuid: randomUUID() })}\n`)
  }
}
