import { randomUUID } from 'node:crypto'
import type { SessionEvent } from '../../../session/session-event.js'
import type { CommandHost } from '../../command-host.js'
import type { PrintOutput } from './print-output.js'
import type { ResultBody } from './stream-json/output-schema.js'
import type { TextOutput } from './text-output.js'

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
