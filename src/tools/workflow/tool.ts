import * as z from 'zod'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { CodeEnd } from '../../contract/ports/interpreter.js'
import type { WorkflowJournal, WorkflowsPort } from '../../contract/ports/workflows.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { code as codeView, text } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import { shortenText } from '../../shared/cut-text.js'
import { explainFailure } from '../code/explain-failure.js'
import { PrintedOutput } from '../code/printed-output.js'
import { WORKFLOW_PRELUDE } from './prelude.js'
import { prompt } from './prompt.js'
import { listStepsToRepeat, type RecordedRun, readRecordedRun } from './recorded-run.js'
import { countSteps, formatProgress, renderRun, type WorkflowProgress } from './views.js'
import { WorkflowSteps } from './workflow-steps.js'

const MAX_SCRIPT_CHARS = 200_000
const MAX_SUMMARY_CHARS = 80
const MAX_STEPS = 1_000
const DEFAULT_STEPS = 200
const MAX_MINUTES = 24 * 60
const DEFAULT_MINUTES = 120
/** The time that the script itself may compute. */
const RUN_MS = 60_000
const LOSS_NOTE = 'Resume the run: steps that have ended are not repeated.'

export const WorkflowTool = buildTool({
  name: 'Workflow',
  searchHint: 'run a script of agents and tool calls',
  needs: ['interpreter', 'calls', 'workflows'],
  shouldDefer: true,
  description: 'Runs a script of agents and tool calls',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      script: z
        .string()
        .min(1)
        .max(MAX_SCRIPT_CHARS)
        .optional()
        .describe(
          'JavaScript with top-level await. Needed for a new run; a resumed run uses the recorded one by default',
        ),
      resumeFromRunId: z.string().min(1).optional().describe('The id of an earlier run to resume, or "last"'),
      description: z.string().optional().describe('What the workflow does, in five to ten words, for the user'),
      budget: z
        .strictObject({
          steps: z.number().int().min(1).max(MAX_STEPS).optional().describe(`New steps; ${DEFAULT_STEPS} by default`),
          minutes: z
            .number()
            .positive()
            .max(MAX_MINUTES)
            .optional()
            .describe(`After this time, no step starts; ${DEFAULT_MINUTES} by default`),
          usd: z.number().positive().optional().describe('Cost of the agents, where it is known; no limit by default'),
        })
        .optional()
        .describe('The limits of this call. Recorded steps of a resumed run do not count'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      runId: z.string(),
      output: z.string(),
      /** The error message, if the workflow did not end as its script meant it to. */
      failure: z.string().optional(),
      notes: z.array(z.string()).readonly(),
      steps: z
        .array(
          z.object({
            step: z.number(),
            tool: z.string(),
            name: z.string().optional(),
            summary: z.string(),
            state: z.enum(['waiting', 'done', 'failed', 'unknown']),
            isReplayed: z.boolean(),
          }),
        )
        .readonly(),
      costUsd: z.number().optional(),
    }),
  ),

  // The script has no effects of its own. It acts through nested calls, each of which is checked.
  makesOnlyNestedCalls: true,
  resources: () => ({ unknown: true }),
  validateInput({ script, resumeFromRunId }, { parentToolUseId }) {
    const refuse = (message: string) => ({ result: false as const, errorCode: 1, message })
    if (parentToolUseId !== undefined)
      return refuse('A workflow can only be started by an agent, not by code. Put its steps into this code.')
    if (script === undefined && resumeFromRunId === undefined)
      return refuse('Pass a script to start a run, or resumeFromRunId to resume one.')
    return { result: true }
  },
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  toAutoClassifierInput: ({ script, resumeFromRunId }) => ({ script, resumeFromRunId }),

  async call(
    { script, resumeFromRunId, budget = {} },
    { interpreter, calls, workflows, signal },
    _canUseTool,
    _parentMessage,
    onProgress?: (progress: WorkflowProgress) => void,
  ) {
    const { journal, run } = await openRun(workflows, script, resumeFromRunId)
    const session = `workflow:${journal.runId}`
    const printedOutput = new PrintedOutput(() => undefined)
    let phase: string | undefined
    const reportProgress = () => onProgress?.({ ...(phase !== undefined && { phase }), ...countSteps(steps.shown) })
    const { steps: maxSteps = DEFAULT_STEPS, minutes = DEFAULT_MINUTES, usd = Number.POSITIVE_INFINITY } = budget
    const steps = new WorkflowSteps({
      ...{ calls, journal, run, signal, onChange: reportProgress },
      budget: { steps: maxSteps, endsAtMs: Date.now() + minutes * 60_000, usd },
    })
    try {
      const { end, unawaitedCalls, droppedChars } = await interpreter.run({
        ...{ session, code: toScript(run.script), signal, prelude: WORKFLOW_PRELUDE },
        limits: { runMs: RUN_MS, maxCalls: MAX_STEPS },
        setup: { at: run.at, seed: run.seed },
        onCall: (name, argument) => steps.answer(name, argument),
        onIdle: () => steps.checkProgress(),
        onEmit(name, argument) {
          if (name !== 'phase') printedOutput.receive(name, argument)
          else {
            phase = shortenText(String(argument), MAX_SUMMARY_CHARS)
            reportProgress()
          }
        },
      })
      // A script that ended without making a recorded step has changed, too.
      if (end.type === 'value') steps.checkProgress()
      if (end.type === 'value' && typeof end.value === 'string') printedOutput.addText(end.value)
      const failure = steps.problem?.message ?? describeEnd(run.script, end)
      await journal.append({ type: 'run-ended', hasFailed: failure !== undefined })
      return {
        data: {
          runId: journal.runId,
          output: printedOutput.text,
          ...(failure !== undefined && { failure }),
          notes: [
            ...(unawaitedCalls > 0 && failure === undefined
              ? [`Not awaited: ${formatCounted(unawaitedCalls, 'call')}, whose results are lost. Use await.`]
              : []),
            ...(droppedChars > 0 ? [`The output was too long: ${droppedChars} further characters were dropped.`] : []),
            ...printedOutput.notes,
          ],
          steps: steps.shown,
          ...(steps.spentUsd > 0 && { costUsd: steps.spentUsd }),
        },
      }
    } finally {
      await interpreter.end(session)
      await journal.close()
    }
  },

  mapToolResultToToolResultBlockParam: toResultBlock,

  userFacingName: () => 'Workflow',
  getToolUseSummary: (input) => summaryOf(input) ?? null,
  getActivityDescription: (input) => summaryOf(input) ?? 'Running a workflow',
  renderToolUseMessage: (input) => summaryOf(input) ?? '',
  renderToolUseQueuedMessage: () => text('Waiting for earlier calls', 'muted'),
  renderToolUseRejectedMessage: ({ script }) =>
    typeof script === 'string' ? codeView(script, { language: 'javascript' }) : '',
  renderToolUseProgressMessage: (progress: readonly WorkflowProgress[]) => formatProgress(progress.at(-1)),
  renderToolResultMessage: (run) => renderRun(run),
  isResultTruncated: ({ output, steps }) => output !== '' || steps.length > 0,
  extractSearchText: ({ output }) => output,
})

/** Opens the journal of a new run, or of one that is resumed. */
async function openRun(
  workflows: WorkflowsPort,
  script: string | undefined,
  resumeFromRunId: string | undefined,
): Promise<{ journal: WorkflowJournal; run: RecordedRun }> {
  if (resumeFromRunId === undefined) {
    const journal = await workflows.create(script ?? '')
    return { journal, run: readRecordedRun(journal.records) }
  }
  const journal = await workflows.open(resumeFromRunId)
  const { script: recordedScript } = readRecordedRun(journal.records)
  const resumed = {
    type: 'resumed' as const,
    ...(script !== undefined && script !== recordedScript && { script }),
    repeatedSteps: listStepsToRepeat(journal.records),
  }
  await journal.append(resumed)
  return { journal, run: readRecordedRun([...journal.records, resumed]) }
}

/** Some models write the head of a module, which a script cannot have. */
function toScript(script: string): string {
  return script.replace(/^([ \t]*)export(?=\s+const\s+meta\b)/m, '$1      ')
}

function describeEnd(script: string, end: CodeEnd): string | undefined {
  return end.type === 'value' ? undefined : explainFailure(script, end, { runMs: RUN_MS, lossNote: LOSS_NOTE })
}

interface RunOutput {
  readonly runId: string
  readonly output: string
  readonly failure?: string | undefined
  readonly notes: readonly string[]
  readonly steps: Parameters<typeof countSteps>[0]
}

function toResultBlock({ runId, output, failure, notes, steps }: RunOutput, toolUseId: string): ToolResultBlock {
  const { total, replayed } = countSteps(steps)
  const counts = `${formatCounted(total, 'step')}${replayed > 0 ? `, ${replayed} of them from the journal` : ''}`
  const content = [
    ...(output === '' ? [] : [output]),
    ...(failure === undefined ? [] : [failure]),
    ...notes.map((note) => `[${note}]`),
    failure === undefined
      ? `[Workflow run ${runId} completed: ${counts}.]`
      : `[Workflow run ${runId} failed after ${counts}. To continue it, call Workflow with resumeFromRunId "${runId}".]`,
  ].join('\n')
  return { type: 'tool_result', tool_use_id: toolUseId, content, ...(failure !== undefined && { is_error: true }) }
}

interface ShownInput {
  readonly script?: unknown
  readonly description?: unknown
  readonly resumeFromRunId?: unknown
}

function summaryOf({ script, description, resumeFromRunId }: ShownInput = {}): string | undefined {
  const resumed = typeof resumeFromRunId === 'string' ? `resume ${resumeFromRunId}` : undefined
  if (typeof description === 'string' && description.trim() !== '') {
    const shown = resumed === undefined ? description : `${description} (${resumed})`
    return shortenText(shown, MAX_SUMMARY_CHARS)
  }
  if (resumed !== undefined) return resumed
  if (typeof script !== 'string') return undefined
  const [firstLine = ''] = script.trim().split('\n')
  return shortenText(firstLine, MAX_SUMMARY_CHARS)
}
