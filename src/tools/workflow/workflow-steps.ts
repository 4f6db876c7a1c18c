import { createHash } from 'node:crypto'
import { ToolCallError } from '../../contract/errors.js'
import type { CallsPort, NestedOutcome } from '../../contract/ports/calls.js'
import type { StepIdentity, StepOutcome, WorkflowJournal } from '../../contract/ports/workflows.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { hasFailed, toCallFailure, toResultJson } from '../code/host-calls.js'
import { OutcomeOrder } from './outcome-order.js'
import type { RecordedRun } from './recorded-run.js'

/** What one call of Workflow may use. Steps from the journal cost nothing. */
interface WorkflowBudget {
  readonly steps: number
  readonly endsAtMs: number
  readonly usd: number
}

/** A step as people see it. */
export interface ShownStep {
  readonly step: number
  readonly tool: string
  readonly name?: string
  readonly summary: string
  state: 'waiting' | 'done' | 'failed' | 'unknown'
  /** Whether its outcome comes from the journal. */
  readonly isReplayed: boolean
}

/** Why a run had to end, although its script did not. */
export interface RunProblem {
  readonly message: string
}

interface StepsOptions {
  readonly calls: CallsPort
  readonly journal: WorkflowJournal
  readonly run: RecordedRun
  readonly budget: WorkflowBudget
  readonly signal: AbortSignal
  readonly onChange: () => void
}

const MAX_SUMMARY_CHARS = 120
/** All results of a run must fit into its journal. */
const MAX_RESULT_CHARS = 2 * 1024 ** 2
const UNKNOWN_CODE = 'outcome_unknown'

/** An error that the script gets for a step. */
class StepFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

/** The steps of one run: each is a call of the script, which takes its outcome from the journal or is made now. */
export class WorkflowSteps {
  readonly shown: ShownStep[] = []
  readonly #options: StepsOptions
  readonly #order: OutcomeOrder
  #newCount = 0
  #spentUsd = 0
  #problem: RunProblem | undefined

  constructor(options: StepsOptions) {
    this.#options = options
    this.#order = new OutcomeOrder(options.run.endedSteps)
  }

  get problem(): RunProblem | undefined {
    return this.#problem
  }

  get spentUsd(): number {
    return this.#spentUsd
  }

  /** Answers a call of the script with JSON text. The number of a step is the number of this call. */
  async answer(name: string, argument: unknown): Promise<string> {
    if (name !== 'call' || !isRecord(argument)) {
      const message = `tools.${name}() does not exist in a workflow. Find the tools first, and then write the script.`
      throw new ToolCallError('input_invalid', message)
    }
    const { name: stepName, ifUnknown } = isRecord(argument.options) ? argument.options : {}
    const step = createIdentity(this.shown.length + 1, String(argument.name), argument.input)
    const outcome = this.#order.find(step.step)?.outcome
    const mayRepeat = ifUnknown === 'repeat'
    const shown: ShownStep = {
      ...{ step: step.step, tool: step.tool, summary: step.summary, state: 'waiting' },
      ...(typeof stepName === 'string' && { name: shortenText(stepName, MAX_SUMMARY_CHARS) }),
      isReplayed: outcome !== undefined && !(outcome.type === 'unknown' && mayRepeat),
    }
    this.shown.push(shown)
    this.#options.onChange()
    this.#requireSameStep(step)
    this.#throwProblem()
    const received = await (shown.isReplayed
      ? this.#order.replay(step.step)
      : this.#performNow(step, argument.input, mayRepeat))
    shown.state = received.type === 'result' ? 'done' : received.type
    this.#options.onChange()
    if (received.type === 'result') return received.json
    throw toStepFailure(step, received)
  }

  /** The script waits and has got every outcome. By now it must have made the call of the next recorded outcome. */
  checkProgress(): void {
    const missing = this.#order.findMissing()
    if (missing !== undefined)
      this.#stop(`The script does not make step ${describeStep(missing)} any more. ${CHANGE_ADVICE}`)
  }

  /** Makes the call of a step, or tells that its outcome is unknown, because it ran when the run was interrupted. */
  async #performNow(step: StepIdentity, input: unknown, mayRepeat: boolean): Promise<StepOutcome> {
    const interrupted = this.#options.run.interruptedSteps.get(step.step)
    const isUnknown = interrupted !== undefined && !interrupted.isReadOnly && !mayRepeat
    this.#order.forget(step.step)
    const outcome: StepOutcome = isUnknown ? { type: 'unknown' } : await this.#call(step, input)
    await this.#record(() => this.#options.journal.append({ type: 'ended', ...step, outcome }))
    return this.#order.add(outcome)
  }

  async #call(step: StepIdentity, input: unknown): Promise<StepOutcome> {
    const { calls, journal, signal } = this.#options
    this.#requireBudget()
    this.#newCount++
    const outcome = await calls.call(step.tool, input, {
      onToolStart: ({ isReadOnly }) => this.#record(() => journal.append({ type: 'started', ...step, isReadOnly })),
    })
    // A call that was cancelled with the run may have had an effect, so it stays without an outcome.
    signal.throwIfAborted()
    const result = this.#toOutcome(step.tool, outcome)
    if (result.type === 'result') this.#spentUsd += result.costUsd ?? 0
    return result
  }

  #toOutcome(tool: string, outcome: NestedOutcome): StepOutcome {
    if (hasFailed(outcome)) return toFailedOutcome(toCallFailure(outcome, ''))
    const isMcp = this.#options.calls.list().some(({ name, isMcp }) => name === tool && isMcp)
    try {
      const json = toResultJson(outcome, { name: tool, isMcp, maxChars: MAX_RESULT_CHARS })
      const { costUsd } = isRecord(outcome.data) ? outcome.data : {}
      return { type: 'result', json, ...(typeof costUsd === 'number' && { costUsd }) }
    } catch (error) {
      return toFailedOutcome({ code: 'tool_failed', message: reasonOf(error) })
    }
  }

  /** Without its journal, the run must not go on. */
  async #record(append: () => Promise<void>): Promise<void> {
    try {
      await append()
    } catch (error) {
      this.#stop(reasonOf(error))
      throw error
    }
  }

  #requireSameStep(step: StepIdentity): void {
    const { interruptedSteps } = this.#options.run
    const recorded = this.#order.find(step.step) ?? interruptedSteps.get(step.step)
    if (recorded === undefined || (recorded.tool === step.tool && recorded.inputHash === step.inputHash)) return
    this.#stop(`Step ${describeStep(recorded)} of the run is now ${describeCall(step)}. ${CHANGE_ADVICE}`)
  }

  #requireBudget(): void {
    const { steps, endsAtMs, usd } = this.#options.budget
    if (this.#newCount >= steps) this.#stop(`The budget of ${steps} steps is used up. ${BUDGET_ADVICE}`)
    else if (Date.now() >= endsAtMs) this.#stop(`The time of the budget is over. ${BUDGET_ADVICE}`)
    else if (this.#spentUsd >= usd)
      this.#stop(`The budget of $${usd} is used up: the agents cost $${this.#spentUsd.toFixed(2)}. ${BUDGET_ADVICE}`)
    this.#throwProblem()
  }

  /** From now on, the script gets nothing but this problem. Calls that run already still end and are recorded. */
  #stop(message: string): void {
    this.#problem ??= { message }
    this.#order.stop(new StepFailure('workflow_stopped', this.#problem.message))
  }

  #throwProblem(): void {
    if (this.#problem !== undefined) throw new StepFailure('workflow_stopped', this.#problem.message)
  }
}

const CHANGE_ADVICE =
  'A script may only change after the steps that have run. Restore that part, or start a new run without resumeFromRunId.'
const BUDGET_ADVICE = 'Resume the run with a new budget if it should go on.'

function createIdentity(step: number, tool: string, input: unknown): StepIdentity {
  const json = JSON.stringify(sortKeys(input)) ?? 'null'
  const inputHash = createHash('sha256').update(json).digest('hex')
  return { step, tool, inputHash, summary: shortenText(json, MAX_SUMMARY_CHARS) }
}

/** The order of keys has no meaning. Inputs come from the interpreter, which limits their depth. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

function toFailedOutcome({
  code,
  message,
  data,
}: {
  readonly code: string
  readonly message: string
  readonly data?: unknown
}): StepOutcome {
  return { type: 'failed', code, message, ...(data !== undefined && { data }) }
}

function toStepFailure(step: StepIdentity, outcome: Exclude<StepOutcome, { type: 'result' }>): StepFailure {
  if (outcome.type === 'failed') return new StepFailure(outcome.code, outcome.message, outcome.data)
  const message = `Step ${describeStep(step)} was running when the workflow was interrupted, so it is not known whether it took effect. Check, and then resume with a script that catches this error (its code is "${UNKNOWN_CODE}"), or that passes { ifUnknown: "repeat" } as second argument of this call to run it again.`
  return new StepFailure(UNKNOWN_CODE, message)
}

function describeStep(step: StepIdentity): string {
  return `${step.step}, ${describeCall(step)},`
}

function describeCall({ tool, summary }: StepIdentity): string {
  return `${tool}(${summary})`
}
