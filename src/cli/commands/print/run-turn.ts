import type { SubmitOptions } from '../../../session/session.js'
import type { AgentSession, Prompt } from './agent-session.js'
import { handOverPlan } from './hand-over-plan.js'
import type { PrintOutput } from './print-output.js'
import { TurnRecord } from './turn-record.js'
import { turnResult } from './turn-result.js'

/** Has prompts worked on, one after the other, and tells of each in the format that was asked for. */
export class TurnRunner {
  readonly #session: AgentSession
  readonly #output: PrintOutput
  #record: TurnRecord | undefined

  constructor(session: AgentSession, output: PrintOutput) {
    this.#session = session
    this.#output = output
    session.onAgentEvent = (event, agent) => {
      this.#record?.takeAgent(event, agent)
      output.agentEvent(event, agent)
    }
  }

  /** Gives the exit code that the end of this prompt calls for. */
  async run(prompt: Prompt, options: SubmitOptions): Promise<number> {
    const record = new TurnRecord(this.#session.answerTools)
    this.#record = record
    // Asked before it begins: a model that begins to plan by itself was asked for more than a plan.
    const { plansAlone } = this.#session
    const events = this.#session.submit(prompt, options)
    let next = await events.next()
    for (; next.done !== true; next = await events.next()) {
      record.take(next.value)
      await this.#output.event(next.value)
    }
    const end = plansAlone ? handOverPlan(next.value, record) : next.value
    const { structured, costUsd } = this.#session
    const result = turnResult(end, { record, totalCostUsd: costUsd, structured })
    await this.#output.end(result, end.text)
    return result.exit_code
  }
}
