import type { HookReported, PermissionDecided, ToolEvent } from '../../../contract/events.js'
import type { DecisionStep } from '../../../contract/permission/result.js'
import { shortenText } from '../../../shared/cut-text.js'
import type { CallTrace, RecordedDecision, RecordedHook, RecordedStep } from '../storage/transcript-entry.js'

/** The limits of what is recorded about one call, besides its input and result. */
const MAX_DECISIONS = 6
const MAX_STAGES = 14
const MAX_HOOKS = 12
const MAX_STEPS = 24
const MAX_TEXT_LENGTH = 240
/** Steps of calls that never end are dropped when there are more than this. */
const MAX_TIMED_CALLS = 2_000

/** Collects when and why things happened to one call, for readers of the transcript. */
export class CallRecord {
  readonly #queuedAt: number
  readonly #decisions: RecordedDecision[] = []
  readonly #hooks: RecordedHook[] = []

  constructor(queuedAt: number) {
    this.#queuedAt = queuedAt
  }

  add(event: ToolEvent): void {
    if (event.type === 'permission-asked') {
      const { at, message, trace } = event
      this.#addDecision({
        at,
        behavior: 'ask',
        reason: { type: 'default', text: shorten(message) },
        ...toStages(trace),
      })
    } else if (event.type === 'permission-decided') this.#addDecision(toDecision(event))
    else if (event.type === 'hook-reported' && this.#hooks.length < MAX_HOOKS) this.#hooks.push(toHook(event))
  }

  toTrace(steps: readonly TimedStep[]): CallTrace {
    const startMs = this.#queuedAt - performance.timeOrigin
    return {
      queuedAt: this.#queuedAt,
      ...(this.#decisions.length > 0 && { decisions: this.#decisions }),
      ...(this.#hooks.length > 0 && { hooks: this.#hooks }),
      ...(steps.length > 0 && { steps: steps.map((step) => toRecordedStep(step, startMs)) }),
    }
  }

  #addDecision(decision: RecordedDecision): void {
    if (this.#decisions.length < MAX_DECISIONS) this.#decisions.push(decision)
  }
}

/** One measured step; times are those of `performance.now()`. */
interface TimedStep {
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly waitedMs: number
}

/** Keeps the durations of the steps of running calls until the call is recorded. */
export class StepTimes {
  readonly #steps = new Map<string, TimedStep[]>()

  add(toolUseId: string, name: string, startMs: number, endMs: number, waitedMs = 0): void {
    const steps = this.#steps.get(toolUseId)
    if (steps === undefined) {
      const [oldestId] = this.#steps.keys()
      if (this.#steps.size >= MAX_TIMED_CALLS && oldestId !== undefined) this.#steps.delete(oldestId)
      this.#steps.set(toolUseId, [{ name, startMs, endMs, waitedMs }])
    } else if (steps.length < MAX_STEPS) steps.push({ name, startMs, endMs, waitedMs })
  }

  take(toolUseId: string): readonly TimedStep[] {
    const steps = this.#steps.get(toolUseId) ?? []
    this.#steps.delete(toolUseId)
    return steps
  }
}

function toRecordedStep({ name, startMs, endMs, waitedMs }: TimedStep, originMs: number): RecordedStep {
  const start = roundMs(Math.max(0, startMs - originMs))
  const duration = roundMs(endMs - startMs)
  return waitedMs > 0 ? [name, start, duration, waitedMs] : [name, start, duration]
}

function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100
}

function toDecision({ at, behavior, reason, waitedMs, trace }: PermissionDecided): RecordedDecision {
  return {
    ...{ at, behavior, reason: { ...reason, text: shorten(reason.text) } },
    ...(waitedMs !== undefined && { waitedMs }),
    ...toStages(trace),
  }
}

function toStages(trace: readonly DecisionStep[] | undefined): Pick<RecordedDecision, 'stages'> {
  if (trace === undefined) return {}
  return { stages: trace.slice(0, MAX_STAGES).map(({ stage, outcome, text }) => [stage, outcome, shorten(text)]) }
}

function toHook({ at, hookEvent, hook, outcome, message }: HookReported): RecordedHook {
  return {
    at,
    event: hookEvent,
    hook: shorten(hook),
    outcome,
    ...(message !== undefined && { message: shorten(message) }),
  }
}

function shorten(text: string): string {
  return shortenText(text, MAX_TEXT_LENGTH)
}
