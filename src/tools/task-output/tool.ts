import * as z from 'zod'
import { BASH_MAX_RESULT_SIZE_CHARS, COMMAND_PREVIEW_CHARS } from '../../contract/limits.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { code, collapsible } from '../../contract/view-builders.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { renameFields } from '../../shared/rename-fields.js'
import { createUnknownTaskError, TASK_LIST, toTaskResource } from '../tasks/task-resources.js'
import { prompt } from './prompt.js'

const DEFAULT_WAIT_MS = 30_000
const MAX_WAIT_MS = 600_000

export const TaskOutputTool = buildTool({
  name: 'TaskOutput',
  foreignNames: {
    BashOutput: (input) => ({ ...renameFields(input, { task_id: ['bash_id', 'shell_id', 'task_id'] }), block: false }),
  },
  searchHint: 'read output of background work',
  needs: ['tasks'],
  shouldDefer: true,
  isOftenNeeded: true,
  maxResultSizeChars: BASH_MAX_RESULT_SIZE_CHARS,
  previewChars: COMMAND_PREVIEW_CHARS,
  readsTasks: true,
  modes: { coordinating: true },
  description: 'Reads the output of a background task',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      task_id: z.string().min(1).describe('The task id returned by the call that started it'),
      block: z.boolean().optional().describe('Wait for the end of the task; true if left out'),
      timeout: z
        .number()
        .min(0)
        .optional()
        .describe(`Maximum wait in milliseconds; ${DEFAULT_WAIT_MS} if left out, at most ${MAX_WAIT_MS}`),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      output: z.string(),
      status: z.enum(['running', 'completed', 'failed', 'stopped']),
      description: z.string(),
      exitCode: z.number().nullable().optional(),
      receivedBytes: z.number(),
      path: z.string().optional(),
    }),
  ),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  interruptBehavior: () => 'cancel',
  resources: ({ task_id }) => ({ reads: [TASK_LIST, toTaskResource(task_id)] }),
  // No approval is needed, because only tasks of this conversation can be read.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ task_id, block = true, timeout = DEFAULT_WAIT_MS }, { tasks, signal }) {
    const waitMs = block ? Math.min(timeout, MAX_WAIT_MS) : 0
    const taskOutput = await tasks.output(task_id, { waitMs, signal })
    if (taskOutput === undefined) throw createUnknownTaskError(task_id, tasks)
    const { task, text, path, receivedBytes } = taskOutput
    return {
      data: {
        output: toPlainOutput(text),
        status: task.status,
        description: task.description,
        receivedBytes,
        ...(task.exitCode !== undefined && { exitCode: task.exitCode }),
        ...(path !== undefined && { path }),
      },
    }
  },

  mapToolResultToToolResultBlockParam({ output, status, exitCode, path, receivedBytes }, toolUseId) {
    const trimmedOutput = output.replace(/\n+$/, '')
    const code = status !== 'running' && typeof exitCode === 'number' ? `, exit code ${exitCode}` : ''
    const fullOutputNote = path === undefined ? '' : ` The complete output (${receivedBytes} bytes) is in ${path}.`
    return textResult(
      toolUseId,
      `${trimmedOutput === '' ? 'No new output.' : trimmedOutput}\n\nTask status: ${status}${code}.${fullOutputNote}`,
    )
  },

  getToolUseSummary: (input) => (typeof input?.task_id === 'string' ? input.task_id : null),
  getActivityDescription: () => 'Waiting for a background task',
  renderToolUseMessage: ({ task_id }) => (typeof task_id === 'string' ? task_id : ''),
  renderToolResultMessage: ({ output, status, description }) =>
    collapsible(`${description}: ${status}`, code(output.replace(/\n+$/, ''))),
  isResultTruncated: ({ output }) => output.replace(/\n+$/, '') !== '',
  extractSearchText: ({ output }) => output,
})
