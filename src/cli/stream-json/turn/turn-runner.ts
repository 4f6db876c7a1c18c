import { findToolByName } from '../../../contract/tool/identity.js'
import type { QueryEnd } from '../../../session/conversation/session-event.js'
import type { AskOptions } from '../../../session/session.js'
import { isRecord } from '../../../shared/is-record.js'
import { builtInTools } from '../../../tools/index.js'
import type { AgentSession, Prompt } from '../../agent-session/agent-session.js'
import type { PrintOutput } from './print-output.js'
import { TurnRecord } from './turn-record.js'
import { createTurnResult } from './turn-result.js'

/** Runs prompts one after the other and writes events and results to the output. */
export class TurnRunner {
  readonly #session: AgentSession
  readonly #output: PrintOutput
  #record: TurnRecord | undefined

  constructor(session: AgentSession, output: PrintOutput) {
    this.#session = session
    this.#output = output
    session.onAgentEvent = (event, agent) => {
      this.#record?.handleAgentEvent(event, agent)
      output.handleAgentEvent(event, agent)
    }
  }

  /** Runs a prompt and returns its exit code. Without one, the model continues with its notices. */
  async run(prompt: Prompt | undefined, options: AskOptions): Promise<number> {
    const record = new TurnRecord(this.#session.answerTools)
    this.#record = record
    // Checked before the prompt runs: if the model enters plan mode itself, the user asked for more than a plan.
    const { isUnattendedPlanMode } = this.#session
    // One event is written after the other, and the model waits for a slow reader before its next request.
    let lastWrite = Promise.resolve()
    const queryEnd = await this.#session.ask(prompt, {
      ...options,
      onEvent: (event) => {
        record.handleEvent(event)
        lastWrite = lastWrite.then(() => this.#output.handleEvent(event))
        return lastWrite
      },
    })
    await lastWrite
    const end = isUnattendedPlanMode ? usePlanAsAnswer(queryEnd, record) : queryEnd
    const { structuredOutput, spending } = this.#session
    const result = createTurnResult(end, { record, spending, structuredOutput })
    await this.#output.end(result, end)
    return result.exit_code
  }
}

/**
 * Uses the plan as the answer and drops the denied approval, if only a plan was requested and there is no user to approve it.
 */
function usePlanAsAnswer(end: QueryEnd, record: Pick<TurnRecord, 'inputOf'>): QueryEnd {
  const planDenial = end.denials.findLast(isPlanDenial)
  const input = planDenial && record.inputOf(planDenial.toolUseId)
  if (end.reason !== 'completed' || !isRecord(input) || typeof input.plan !== 'string') return end
  const plan = input.plan.trim()
  const text = end.text.includes(plan) ? end.text : `${plan}\n\n${end.text}`.trim()
  return { ...end, text, denials: end.denials.filter((denial) => !isPlanDenial(denial)) }
}

function isPlanDenial({ toolName }: QueryEnd['denials'][number]): boolean {
  return findToolByName(builtInTools, toolName)?.submitsPlan === true
}
