import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { createTeamSchema, formatTeam, renderTeam, TEAM, toShownTeam } from '../tasks/shown-team.js'
import { prompt } from './prompt.js'

const MAX_DESCRIPTION_CHARS = 2_000

export const TeamCreateTool = buildTool({
  name: 'TeamCreate',
  searchHint: 'create agent team',
  needs: ['teams'],
  shouldDefer: true,
  mainAgentOnly: true,
  modes: { coordinating: true },
  description: 'Creates a team of agents',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      team_name: z.string().min(1).describe('The name of the team: letters, digits, "-" and "_"'),
      description: z.string().max(MAX_DESCRIPTION_CHARS).optional().describe('What the team works on'),
      name: z.string().min(1).optional().describe('To join an existing team: your name in it'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ team: createTeamSchema(), hasJoined: z.boolean() })),

  resources: () => ({ writes: [TEAM] }),
  // No approval is needed, because only Haft's own files change.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ team_name, description, name }, { teams }) {
    const team = await teams.create({
      name: team_name,
      ...(description !== undefined && { description }),
      ...(name !== undefined && { as: name }),
    })
    return { data: { team: toShownTeam(team), hasJoined: team.members.length > 1 } }
  },

  mapToolResultToToolResultBlockParam: ({ team, hasJoined }, toolUseId) =>
    textResult(
      toolUseId,
      hasJoined
        ? `You have joined the team.\n${formatTeam(team)}`
        : `Created the team "${team.name}", which you lead. Start teammates with Agent and a name, and write to them with SendMessage.`,
    ),

  getActivityDescription: () => 'Creating a team',
  userFacingName: () => 'New team',
  getToolUseSummary: (input) => (typeof input?.team_name === 'string' ? input.team_name : null),
  renderToolUseMessage: ({ team_name }) => (typeof team_name === 'string' ? team_name : ''),
  renderToolResultMessage: ({ team }) => renderTeam(team),
  extractSearchText: ({ team }) => team.name,
})
