import * as z from 'zod'
import type { BoardTask } from '../../contract/ports/task-board.js'
import { listOpenBlockers } from '../../contract/ports/task-board.js'
import type { ThingResource } from '../../contract/resources.js'
import { text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'

/** The task board as a resource, so that calls that use it are ordered. */
export const TASK_BOARD: ThingResource = { thing: 'tasks:board' }

/** The name of the main agent on the board. */
const MAIN_AGENT = 'main'

/** Returns the name under which an agent changes and owns tasks. */
export function getAgentName({ agentId }: { readonly agentId?: string }): string {
  return agentId ?? MAIN_AGENT
}

const MAX_SUBJECT_CHARS = 200
const MAX_DESCRIPTION_CHARS = 20_000

export const createSubjectSchema = () => z.string().trim().min(1).max(MAX_SUBJECT_CHARS)
export const createDescriptionSchema = () => z.string().max(MAX_DESCRIPTION_CHARS)
export const createActiveFormSchema = () => z.string().trim().min(1).max(MAX_SUBJECT_CHARS)
export const createTaskIdSchema = () => z.string().regex(/^\d{1,9}$/, 'must be the number of a task, such as "3"')

/** Creates the schema of a task in the results of the tools. */
export const createBoardTaskSchema = () =>
  z.object({
    id: z.string(),
    subject: z.string(),
    description: z.string(),
    activeForm: z.string().optional(),
    status: z.enum(['pending', 'in_progress', 'completed', 'deleted']),
    owner: z.string().optional(),
    /** The unfinished tasks that must be completed before this one can start. */
    openBlockers: z.array(z.string()),
  })

export type ShownTask = z.infer<ReturnType<typeof createBoardTaskSchema>>

/** Converts a task for the result of a call. */
export function toShownTask(task: BoardTask, tasks: readonly BoardTask[]): ShownTask {
  const { id, subject, description, activeForm, status, owner } = task
  return {
    ...{ id, subject, description, status },
    ...(activeForm !== undefined && { activeForm }),
    ...(owner !== undefined && { owner: owner.name }),
    openBlockers: [...listOpenBlockers(task, tasks)],
  }
}

/** Formats a task as one line for the model: `#3 [pending] Write the tests (owner: main; waits for #1, #2)`. */
export function formatTask({ id, subject, status, owner, openBlockers }: ShownTask): string {
  const facts = [
    ...(owner === undefined ? [] : [`owner: ${owner}`]),
    ...(openBlockers.length === 0 ? [] : [`waits for ${openBlockers.map((blocker) => `#${blocker}`).join(', ')}`]),
  ]
  const line = `#${id} [${status}] ${subject}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`
  // Other agents wrote the text, so it must not look like a system reminder.
  return withoutReminderTags(line.replace(/\s+/g, ' '))
}

/** Renders a task like an item of a todo list. */
export function renderTask({ id, subject, status, owner, openBlockers }: ShownTask): View {
  const number = text(`#${id} `, 'muted')
  if (status === 'completed' || status === 'deleted') {
    const sign = status === 'completed' ? text('[x] ', 'success') : text('[-] ', 'muted')
    return [sign, number, text(subject, { tone: 'muted', strikethrough: true })]
  }
  if (status === 'in_progress')
    return [
      text('[>] ', 'accent'),
      number,
      text(subject, { bold: true }),
      text(owner === undefined ? '' : ` ${owner}`, 'muted'),
    ]
  const wait = openBlockers.length === 0 ? '' : ` waits for ${openBlockers.map((blocker) => `#${blocker}`).join(', ')}`
  return ['[ ] ', number, subject, text(wait, 'muted')]
}

/** Returns a heading such as `2 of 5 tasks done`. */
export function countDone(tasks: readonly Pick<ShownTask, 'status'>[]): string {
  const doneCount = tasks.filter(({ status }) => status === 'completed').length
  return `${doneCount} of ${tasks.length} tasks done`
}

/** Returns the tasks that an agent could start now. */
export function listReadyTasks(tasks: readonly ShownTask[]): readonly ShownTask[] {
  return tasks.filter((task) => task.status === 'pending' && task.owner === undefined && task.openBlockers.length === 0)
}
