import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import type { StatePort } from '../../contract/ports/state.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, code as codeView, collapsible, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { explainFailure } from '../code/explain-failure.js'
import { HostCalls } from '../code/host-calls.js'
import { PRELUDE } from '../code/prelude.js'
import { type PrintedImage, PrintedOutput } from '../code/printed-output.js'
import { prompt } from './prompt.js'

const DEFAULT_RUN_MS = 10_000
const MAX_RUN_MS = 120_000
const MAX_CODE_CHARS = 200_000
const MAX_SUMMARY_CHARS = 80
const LOSS_NOTE = 'The variables of earlier code are lost; values saved with store() are kept.'
const STORED_KEY = 'repl:stored'

export const ReplTool = buildTool({
  name: 'REPL',
  searchHint: 'run JavaScript that calls tools',
  needs: ['interpreter', 'calls', 'state'],
  modes: { repl: 'runs' },
  description: 'Runs JavaScript that calls tools',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      code: z
        .string()
        .max(MAX_CODE_CHARS)
        .describe('JavaScript with top-level await; the value of its last expression is printed'),
      description: z.string().optional().describe('What the code does, in five to ten words, for the user'),
      timeout: z
        .number()
        .positive()
        .optional()
        .describe(`Milliseconds that the code itself may run: ${DEFAULT_RUN_MS} by default, at most ${MAX_RUN_MS}`),
      reset: z.boolean().optional().describe('Removes all variables and stored values first'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      output: z.string(),
      images: z.array(z.object({ mediaType: z.string(), base64: z.string() })).readonly(),
      /** The error message, if the code failed. */
      failure: z.string().optional(),
      notes: z.array(z.string()).readonly(),
      calls: z.array(z.object({ name: z.string(), count: z.number(), failed: z.number() })).readonly(),
    }),
  ),

  // Code has no effects of its own. It acts through nested calls, each of which is checked.
  makesOnlyNestedCalls: true,
  resources: () => ({ unknown: true }),
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  toAutoClassifierInput: ({ code }) => ({ code }),

  async call({ code, timeout = DEFAULT_RUN_MS, reset }, { interpreter, calls, state, agentId, signal }) {
    const session = agentId ?? 'main'
    const runMs = Math.min(timeout, MAX_RUN_MS)
    if (reset === true) {
      await interpreter.end(session)
      writeStored(state, {})
    }
    const printedOutput = new PrintedOutput((key, json) => writeStored(state, withStored(readStored(state), key, json)))
    const hostCalls = new HostCalls(calls)
    const outcome = interpreter.run({
      ...{ session, code, signal, prelude: PRELUDE, limits: { runMs } },
      setup: { tools: calls.list().map(({ name }) => name), stored: readStored(state) },
      onCall: (name, argument) => hostCalls.answer(name, argument),
      onEmit: (name, argument) => printedOutput.receive(name, argument),
    })
    const { end, wasReset, unawaitedCalls, droppedChars } = await outcome.catch((cause) => {
      if (!signal.aborted) throw cause
      throw new ToolCallError('cancelled', 'The code was stopped.', { cause, outputSoFar: printedOutput.text })
    })
    if (end.type === 'value' && typeof end.value === 'string') printedOutput.addText(end.value)
    return {
      data: {
        output: printedOutput.text,
        images: printedOutput.images,
        ...(end.type !== 'value' && { failure: explainFailure(code, end, { runMs, lossNote: LOSS_NOTE }) }),
        notes: [
          ...(wasReset
            ? ['The interpreter had to be restarted before this code ran: the variables of earlier code are lost.']
            : []),
          ...(unawaitedCalls > 0 ? [describeUnawaited(unawaitedCalls, end.type === 'value')] : []),
          ...(droppedChars > 0
            ? [`The output was too long: ${droppedChars.toLocaleString('en')} further characters were dropped.`]
            : []),
          ...printedOutput.notes,
        ],
        calls: hostCalls.counts,
      },
    }
  },

  mapToolResultToToolResultBlockParam: toResultBlock,

  userFacingName: () => 'REPL',
  getToolUseSummary: (input) => summaryOf(input) ?? null,
  getActivityDescription: (input) => summaryOf(input) ?? 'Running code',
  renderToolUseMessage: (input) => summaryOf(input) ?? '',
  renderToolUseQueuedMessage: () => text('Waiting for earlier calls', 'muted'),
  renderToolUseRejectedMessage: ({ code }) =>
    typeof code === 'string' ? codeView(code, { language: 'javascript' }) : '',
  renderToolResultMessage: (output) => renderOutput(output),
  isResultTruncated: ({ output }) => output !== '',
  extractSearchText: ({ output }) => output,
})

function describeUnawaited(count: number, hasSucceeded: boolean): string {
  const calls = formatCounted(count, 'call')
  return hasSucceeded
    ? `Not awaited: ${calls}, whose results are lost. Use await.`
    : `When the code failed, ${calls} still ran. They have ended.`
}

interface ReplOutput {
  readonly output: string
  readonly images: readonly PrintedImage[]
  readonly failure?: string | undefined
  readonly notes: readonly string[]
  readonly calls: readonly { readonly name: string; readonly count: number; readonly failed: number }[]
}

function toResultBlock({ output, images, failure, notes }: ReplOutput, toolUseId: string): ToolResultBlock {
  const parts = [output, ...(failure === undefined ? [] : [failure]), ...notes.map((note) => `[${note}]`)]
  const resultText = parts.filter((part) => part !== '').join('\n') || 'The code ran without output.'
  const imageParts = images.map(
    ({ mediaType, base64 }): ToolResultContent => ({
      type: 'image',
      source: { type: 'base64', media_type: mediaType, data: base64 },
    }),
  )
  const content = imageParts.length === 0 ? resultText : [{ type: 'text' as const, text: resultText }, ...imageParts]
  const result = { type: 'tool_result', tool_use_id: toolUseId, content } as const
  return failure === undefined ? result : { ...result, is_error: true }
}

function renderOutput({ output, failure, notes, calls }: ReplOutput): View {
  const count = calls.reduce((sum, each) => sum + each.count, 0)
  const lineCount = output === '' ? 0 : output.split('\n').length
  const summary = [
    ...(count > 0 ? [formatCounted(count, 'call')] : []),
    ...(lineCount > 0 ? [formatCounted(lineCount, 'line')] : []),
    // Code that failed has an error to show.
    ...(lineCount === 0 && failure === undefined ? ['no output'] : []),
  ].join(', ')
  const head = lineCount === 0 ? summary : collapsible(summary, codeView(output))
  return block(
    ...(summary === '' ? [] : [head]),
    ...(failure === undefined ? [] : [text(failure, 'error')]),
    ...notes.map((note) => text(note, 'muted')),
  )
}

function summaryOf(input: { readonly code?: unknown; readonly description?: unknown } | undefined): string | undefined {
  const { description, code } = input ?? {}
  if (typeof description === 'string' && description.trim() !== '') return shortenText(description, MAX_SUMMARY_CHARS)
  if (typeof code !== 'string') return undefined
  const [firstLine = ''] = code.trim().split('\n')
  return shortenText(firstLine, MAX_SUMMARY_CHARS)
}

type Stored = Readonly<Record<string, string>>

function readStored(state: StatePort): Stored {
  const stored = state.getAppState()[STORED_KEY]
  return isRecord(stored) ? (stored as Stored) : {}
}

function writeStored(state: StatePort, stored: Stored): void {
  state.setAppState((stateBefore) => ({ ...stateBefore, [STORED_KEY]: stored }))
}

function withStored({ ...stored }: Stored, key: string, json: string | null): Stored {
  const { [key]: _old, ...others } = stored
  return json === null ? others : { ...others, [key]: json }
}
