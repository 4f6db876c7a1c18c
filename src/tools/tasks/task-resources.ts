import { ToolCallError } from '../../contract/errors.js'
import type { TasksPort } from '../../contract/ports/tasks.js'
import type { ThingResource } from '../../contract/resources.js'
import { quote } from '../../shared/quote.js'

/** Creates the error for an unknown task ID. It lists the known tasks. */
export function createUnknownTaskError(id: string, tasks: Pick<TasksPort, 'list'>): ToolCallError {
  const knownTasks = tasks.list().map((task) => `${task.id} (${task.status}: ${task.description})`)
  const list = knownTasks.length === 0 ? 'There are no background tasks.' : `Known tasks: ${knownTasks.join(', ')}.`
  return new ToolCallError('tool_failed', `Unknown task ${quote(id)}. ${list}`)
}

/** Returns a task as a resource, so that calls for the same task are ordered. */
export function toTaskResource(id: string): ThingResource {
  return { thing: `task:${id}` }
}

/** The list of tasks as a resource. A call that reads a task waits for earlier calls that may start one. */
export const TASK_LIST: ThingResource = { thing: 'tasks:list' }
