import * as z from 'zod'
import type { Team } from '../../contract/ports/teams.js'
import type { ThingResource } from '../../contract/resources.js'
import { block, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { withoutReminderTags } from '../../shared/reminder-tags.js'

/** The team as a resource, so that calls that use it are ordered. */
export const TEAM: ThingResource = { thing: 'team' }

/** A team as the tools return it. */
export const createTeamSchema = () =>
  z.object({
    name: z.string(),
    description: z.string(),
    members: z.array(z.object({ name: z.string(), role: z.string(), status: z.string() })),
  })

type ShownTeam = z.infer<ReturnType<typeof createTeamSchema>>

export function toShownTeam({ name, description, members }: Team): ShownTeam {
  return { name, description, members: members.map(({ name, role, status }) => ({ name, role, status })) }
}

/** For the model. The description may have been written by another agent. */
export function formatTeam({ name, description, members }: ShownTeam): string {
  const about = description === '' ? '' : `: ${withoutReminderTags(description)}`
  return [
    `Team "${name}"${about}`,
    ...members.map((member) => `- ${member.name} (${member.role}, ${member.status})`),
  ].join('\n')
}

export function renderTeam({ name, members }: ShownTeam): View {
  return block(
    text(name, { bold: true }),
    ...members.map((member) => [member.name, text(` ${member.role}, ${member.status}`, 'muted')]),
  )
}
