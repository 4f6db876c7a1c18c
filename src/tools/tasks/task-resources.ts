import { ToolCallError } from '../../contract/errors.js'
import type { TasksPort } from '../../contract/ports/tasks.js'
import type { ThingResource } from '../../contract/resources.js'
import { quote } from '../../shared/quote.js'

/** The error for an unknown task id, with the known tasks. */
export function createUnknownTaskError(id: string, tasks: Pick<TasksPort, 'list'>): ToolCallError {
  const knownTasks = tasks.list().map((task) => `${task.id} (${task.status}: ${task.description})`)
  const list = knownTasks.length === 0 ? 'There are no background tasks.' : `Known tasks: ${knownTasks.join(', ')}.`
  return new ToolCallError('tool_failed', `Unknown task ${quote(id)}. ${list}`)
}

/** A task as a resource that calls read and write. */
export function taskResource(id: string): ThingResource {
  return { thing: `task:${id}` }
}

/** The list of tasks as a resource: a call that reads a task waits for earlier calls that may start one. */
export const TASK_LIST: ThingResource = { thing: 'tasks:list' }
