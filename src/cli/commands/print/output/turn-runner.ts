import { findToolByName } from '../../../../contract/tool/identity.js'
import type { QueryEnd } from '../../../../session/conversation/session-event.js'
import type { AskOptions } from '../../../../session/session.js'
import { isRecord } from '../../../../shared/is-record.js'
import { builtInTools } from '../../../../tools/index.js'
import type { AgentSession, Prompt } from '../session/agent-session.js'
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
  async run(prompt: Prompt, options: AskOptions): Promise<number> {
    const record = new TurnRecord(this.#session.answerTools)
    this.#record = record
    // Asked before it begins: a model that begins to plan by itself was asked for more than a plan.
    const { plansAlone } = this.#session
    // One event is written after the other, and the model waits for a slow reader before its next request.
    let written = Promise.resolve()
    const asked = await this.#session.ask(prompt, {
      ...options,
      onEvent: (event) => {
        record.take(event)
        written = written.then(() => this.#output.event(event))
        return written
      },
    })
    await written
    const end = plansAlone ? handOverPlan(asked, record) : asked
    const { structured, costUsd } = this.#session
    const result = turnResult(end, { record, totalCostUsd: costUsd, structured })
    await this.#output.end(result, end.text)
    return result.exit_code
  }
}

/** Where only a plan was wanted and nobody can approve it, the plan is the answer, and its approval is not missed. */
export function handOverPlan(end: QueryEnd, record: Pick<TurnRecord, 'inputOf'>): QueryEnd {
  const shown = end.denials.findLast(isPlan)
  const input = shown && record.inputOf(shown.toolUseId)
  if (end.reason !== 'completed' || !isRecord(input) || typeof input.plan !== 'string') return end
  const plan = input.plan.trim()
  const text = end.text.includes(plan) ? end.text : `${plan}\n\n${end.text}`.trim()
  return { ...end, text, denials: end.denials.filter((denial) => !isPlan(denial)) }
}

function isPlan({ toolName }: QueryEnd['denials'][number]): boolean {
  return findToolByName(builtInTools, toolName)?.submitsPlan === true
}
