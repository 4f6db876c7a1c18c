import { ToolCallError } from '../../contract/errors.js'
import type { TasksPort } from '../../contract/ports/tasks.js'
import type { ThingResource } from '../../contract/resources.js'
import { quote } from '../../shared/quote.js'

/** The failure of a call about a task that is not there, which names those that are. */
export function unknownTask(id: string, tasks: Pick<TasksPort, 'list'>): ToolCallError {
  const known = tasks.list().map((task) => `${task.id} (${task.status}: ${task.description})`)
  const list = known.length === 0 ? 'There is no background work.' : `Known tasks: ${known.join(', ')}.`
  return new ToolCallError('tool_failed', `No task ${quote(id)} is known. ${list}`)
}

/** The task as a thing that calls read and write. */
export function taskResource(id: string): ThingResource {
  return { thing: `task:${id}` }
}

/** The list of tasks as a thing: who asks for a task waits for calls before it that may start one. */
export const TASK_LIST: ThingResource = { thing: 'tasks:list' }
