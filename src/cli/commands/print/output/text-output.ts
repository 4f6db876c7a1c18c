import { randomUUID } from 'node:crypto'
import type { SessionEvent } from '../../../../session/conversation/session-event.js'
import type { CommandHost, CommandIo } from '../../../io/command.js'
import { warn } from '../../../io/warn.js'
import type { ResultBody } from '../schema/output-schema.js'
import type { PrintOutput } from './print-output.js'

/** Ends at which what the model said last is still its answer. */
const ANSWERED: ReadonlySet<ResultBody['end_reason']> = new Set(['completed', 'refused', 'max_output'])

/** The answer alone goes to standard output; problems go to standard error, a line each. */
export class TextOutput implements PrintOutput {
  readonly #io: CommandIo
  readonly #host: CommandHost
  readonly #isVerbose: boolean
  readonly #ofAgents = new Set<string>()

  constructor(io: CommandIo, host: CommandHost, { isVerbose }: { readonly isVerbose: boolean }) {
    this.#io = io
    this.#host = host
    this.#isVerbose = isVerbose
  }

  async begin(): Promise<void> {}

  event(event: SessionEvent): void {
    const problem = problemOf(event, this.#isVerbose)
    if (problem !== undefined) warn(this.#io, problem)
  }

  /** Several agents meet with the same, and once is enough; what became of their calls is told at the end. */
  agentEvent(event: SessionEvent): void {
    if (event.type !== 'notice' || event.level !== 'warning' || this.#ofAgents.has(event.text)) return
    this.#ofAgents.add(event.text)
    warn(this.#io, event.text)
  }

  async end(result: ResultBody, text: string): Promise<void> {
    const { structured_output: structured } = result
    const answer = structured === undefined ? text : JSON.stringify(structured)
    // Who asked for data gets data or nothing.
    const isAnswer = ANSWERED.has(result.end_reason) && result.subtype !== 'error_max_structured_output_retries'
    if (isAnswer && answer !== '') await this.#host.write(`${answer.replace(/\n+$/, '')}\n`)
    if (result.end_reason === 'completed' && answer.trim() === '') warn(this.#io, 'The model ended without an answer.')
    this.tellProblems(result)
  }

  tellProblems({ is_error, result, permission_denials: denials }: ResultBody): void {
    // What the model was told says how to allow the call.
    const told = denials.map(({ tool_name, reason, message }) => message ?? `${tool_name} was not permitted: ${reason}`)
    for (const refusal of told) warn(this.#io, refusal)
    // Where a refusal ended the run, it has been told.
    if (is_error && !told.includes(result)) warn(this.#io, result)
  }
}

function problemOf(event: SessionEvent, isVerbose: boolean): string | undefined {
  switch (event.type) {
    case 'notice':
      return isVerbose || event.level === 'warning' ? event.text : undefined
    case 'request-retried':
      return `${sentence(event.error.message)} Trying again in ${Math.max(1, Math.round(event.delayMs / 1000))} s.`
    case 'model-changed':
      return `${event.to} takes over from ${event.from}: ${event.reason}`
    case 'messages-rewritten':
      return isVerbose ? `The conversation was shortened (${event.cause}).` : undefined
    case 'tool-event':
      return isVerbose ? toolLine(event.event) : undefined
    default:
      return undefined
  }
}

function toolLine(event: Extract<SessionEvent, { type: 'tool-event' }>['event']): string | undefined {
  if (event.type === 'call-queued') return `${event.toolName} ${JSON.stringify(event.input)?.slice(0, MAX_INPUT_CHARS)}`
  return event.type === 'permission-decided' && event.behavior === 'deny' ? `denied: ${event.reason.text}` : undefined
}

/** Providers end what they say as they like. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

const MAX_INPUT_CHARS = 200

/** One object at the end; what happens meanwhile is told as with text. */
export class JsonOutput implements PrintOutput {
  readonly #host: CommandHost
  readonly #sessionId: string
  readonly #beside: TextOutput

  constructor(host: CommandHost, sessionId: string, beside: TextOutput) {
    this.#host = host
    this.#sessionId = sessionId
    this.#beside = beside
  }

  async begin(): Promise<void> {}

  event(event: SessionEvent): void {
    this.#beside.event(event)
  }

  agentEvent(event: SessionEvent): void {
    this.#beside.agentEvent(event)
  }

  async end(result: ResultBody): Promise<void> {
    await this.#host.write(`${JSON.stringify({ ...result, session_id: this.#sessionId, uuid: randomUUID() })}\n`)
  }
}
