import { block, code as codeView, collapsible, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import type { ShownStep } from './workflow-steps.js'

/** A step in the output of a call, in which the name may be undefined. */
type OutputStep = Omit<ShownStep, 'name'> & { readonly name?: string | undefined }

/** How far a workflow is. */
export interface WorkflowProgress {
  readonly phase?: string
  readonly total: number
  readonly replayed: number
  readonly failed: number
  /** The steps that run or wait, in short. */
  readonly active: readonly string[]
}

const MAX_ACTIVE = 5
const MARKS: Readonly<Record<ShownStep['state'], string>> = { waiting: '…', done: '✓', failed: '✗', unknown: '?' }

export function countSteps(steps: readonly OutputStep[]): Omit<WorkflowProgress, 'phase'> {
  const count = (isCounted: (step: OutputStep) => boolean) => steps.filter(isCounted).length
  return {
    total: steps.length,
    replayed: count(({ isReplayed }) => isReplayed),
    failed: count(({ state }) => state === 'failed' || state === 'unknown'),
    active: steps
      .filter(({ state }) => state === 'waiting')
      .slice(0, MAX_ACTIVE)
      .map(({ name, tool }) => name ?? tool),
  }
}

/** One line about a running workflow. Its calls are shown below it. */
export function formatProgress(progress: WorkflowProgress | undefined): string {
  if (progress === undefined) return 'Starting'
  const { phase, active } = progress
  return [
    ...(phase === undefined ? [] : [phase]),
    formatCounts(progress),
    ...(active.length === 0 ? [] : [`running ${active.join(', ')}`]),
  ].join(' · ')
}

function formatCounts({ total, replayed, failed }: Omit<WorkflowProgress, 'phase'>): string {
  return [
    formatCounted(total, 'step'),
    ...(replayed > 0 ? [`${replayed} from the journal`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ')
}

interface EndedRun {
  readonly runId: string
  readonly output: string
  readonly failure?: string | undefined
  readonly notes: readonly string[]
  readonly steps: readonly OutputStep[]
  readonly costUsd?: number | undefined
}

export function renderRun({ runId, output, failure, notes, steps, costUsd }: EndedRun): View {
  const cost = costUsd === undefined ? '' : `, $${costUsd.toFixed(2)}`
  const summary = `${runId}: ${formatCounts(countSteps(steps))}${cost}`
  const details = block(
    ...steps.map(({ step, state, name, tool, summary: input, isReplayed }) => {
      const title = name === undefined ? tool : `${name} · ${tool}`
      return `${MARKS[state]} ${step} ${title}(${input})${isReplayed ? ' from the journal' : ''}`
    }),
    ...(output === '' ? [] : [codeView(output)]),
  )
  return block(
    steps.length === 0 && output === '' ? summary : collapsible(summary, details),
    ...(failure === undefined ? [] : [text(failure, 'error')]),
    ...notes.map((note) => text(note, 'muted')),
  )
}
