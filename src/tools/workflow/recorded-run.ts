import type { JournalRecord, StepEnded, StepStarted } from '../../contract/ports/workflows.js'

/** What the journal tells about an earlier run. */
export interface RecordedRun {
  readonly script: string
  readonly at: number
  readonly seed: number
  /** The outcomes that the script got, in this order. */
  readonly endedSteps: readonly StepEnded[]
  /** By number: steps whose tool ran when the run was interrupted. */
  readonly interruptedSteps: ReadonlyMap<number, StepStarted>
}

/** Reads the records of a journal. The first one describes the run. */
export function readRecordedRun(records: readonly JournalRecord[]): RecordedRun {
  const [first] = records
  if (first?.type !== 'run') throw new Error('A journal begins with the record of its run.')
  let { script } = first
  let endedSteps: StepEnded[] = []
  const interruptedSteps = new Map<number, StepStarted>()
  for (const record of records) {
    if (record.type === 'started') interruptedSteps.set(record.step, record)
    else if (record.type === 'ended') {
      endedSteps = [...endedSteps.filter(({ step }) => step !== record.step), record]
      interruptedSteps.delete(record.step)
    } else if (record.type === 'resumed') {
      script = record.script ?? script
      endedSteps = endedSteps.filter(({ step }) => !record.repeatedSteps.includes(step))
    }
  }
  return { script, at: first.at, seed: first.seed, endedSteps, interruptedSteps }
}

/**
 * Returns the failed steps that run again when the run is resumed: the script has ended, and it made no further call after
 * these failures, so they are the reason why it ended. A step with an unknown outcome is not one of them.
 */
export function listStepsToRepeat(records: readonly JournalRecord[]): readonly number[] {
  const last = records.at(-1)
  if (last?.type !== 'run-ended' || !last.hasFailed) return []
  const steps: number[] = []
  for (const record of records.slice(0, -1).reverse()) {
    if (record.type !== 'ended' || record.outcome.type === 'result') break
    if (record.outcome.type === 'failed') steps.push(record.step)
  }
  return steps
}
