import * as z from 'zod'
import type { ScheduledTask } from '../../contract/ports/schedule.js'
import type { ThingResource } from '../../contract/resources.js'
import { text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { shortenText } from '../../shared/cut-text.js'
import { formatMoment } from '../../shared/format-moment.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'

/** The scheduled tasks as a resource, so that calls that use them are ordered. */
export const SCHEDULE: ThingResource = { thing: 'schedule:tasks' }

const MAX_LISTED_PROMPT_CHARS = 200

/** Creates the schema of a scheduled task as the tools return it. */
export const createScheduledTaskSchema = () =>
  z.object({
    id: z.string(),
    cron: z.string(),
    timezone: z.string(),
    prompt: z.string(),
    recurring: z.boolean(),
    durable: z.boolean(),
    /** In the zone of the task; undefined if it does not run again. */
    nextRun: z.string().optional(),
    lastRun: z.string().optional(),
  })

export type ShownTask = z.infer<ReturnType<typeof createScheduledTaskSchema>>

/** Converts a task for the result of a call. */
export function toShownTask({ nextRun, runs, ifMissed: _, ...task }: ScheduledTask): ShownTask {
  const last = runs.at(-1)
  const missed = last === undefined || last.missedCount === 0 ? '' : `, ${last.missedCount} earlier ones missed`
  const detail = last?.detail === undefined ? '' : `: ${last.detail}`
  return {
    ...task,
    ...(nextRun !== undefined && { nextRun: formatMoment(nextRun, task.timezone) }),
    ...(last !== undefined && { lastRun: `${formatMoment(last.due, task.timezone)} ${last.state}${missed}${detail}` }),
  }
}

/** Formats a task as one line for the model. */
export function formatTask({ id, cron, timezone, prompt, recurring, durable, nextRun, lastRun }: ShownTask): string {
  const facts = [
    `${cron === '' ? 'at once' : cron} ${timezone}`,
    ...(recurring ? [] : ['once']),
    durable ? 'durable' : 'this session only',
    ...(nextRun === undefined ? [] : [`next: ${nextRun}`]),
    ...(lastRun === undefined ? [] : [`last: ${lastRun}`]),
  ]
  const line = `${id} [${facts.join('; ')}] ${shortenText(prompt, MAX_LISTED_PROMPT_CHARS)}`
  // Another session may have written the prompt, so it must not look like a system reminder.
  return withoutReminderTags(line.replace(/\s+/g, ' '))
}

/** Renders a task as one line for people. */
export function renderTask({ id, cron, prompt, nextRun }: ShownTask): View {
  const time = nextRun === undefined ? '' : ` next ${nextRun}`
  return [
    text(`${id} `, 'muted'),
    text(cron === '' ? 'at once' : cron, 'accent'),
    ` ${shortenText(prompt.replace(/\s+/g, ' '), 60)}`,
    text(time, 'muted'),
  ]
}
