import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { renameFields } from '../../shared/rename-fields.js'
import { createUnknownTaskError, TASK_LIST, toTaskResource } from '../tasks/task-resources.js'
import { prompt } from './prompt.js'

export const TaskStopTool = buildTool({
  name: 'TaskStop',
  foreignNames: { KillShell: convertStop, KillBash: convertStop },
  searchHint: 'stop running subtask',
  needs: ['tasks'],
  shouldDefer: true,
  isOftenNeeded: true,
  modes: { delegating: true },
  description: 'Stops a background task',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({ task_id: z.string().min(1).describe('The task id returned by the call that started it') }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      task_id: z.string(),
      status: z.enum(['running', 'completed', 'failed', 'stopped']),
      description: z.string(),
    }),
  ),

  isDestructive: () => true,
  resources: ({ task_id }) => ({ reads: [TASK_LIST], writes: [toTaskResource(task_id)] }),
  // No approval is needed, because only tasks of this conversation can be stopped.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ task_id }, { tasks }) {
    const task = await tasks.stop(task_id, { isByModel: true })
    if (task === undefined) throw createUnknownTaskError(task_id, tasks)
    return { data: { task_id: task.id, status: task.status, description: task.description } }
  },

  mapToolResultToToolResultBlockParam({ task_id, status, description }, toolUseId) {
    if (status === 'running') return textResult(toolUseId, `Task ${task_id} (${description}) is still running.`)
    const endText = status === 'stopped' ? 'was stopped' : `had already ended (${status})`
    return textResult(toolUseId, `Task ${task_id} (${description}) ${endText}.`)
  },

  getToolUseSummary: (input) => (typeof input?.task_id === 'string' ? input.task_id : null),
  getActivityDescription: () => 'Stopping a background task',
  renderToolUseMessage: ({ task_id }) => (typeof task_id === 'string' ? task_id : ''),
  renderToolResultMessage: ({ status, description }) => `${description}: ${status}`,
  extractSearchText: ({ description }) => description,
})

function convertStop(input: Readonly<Record<string, unknown>>) {
  return renameFields(input, { task_id: ['shell_id', 'bash_id', 'task_id'] })
}
