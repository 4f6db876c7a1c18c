import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { TEAM } from '../tasks/shown-team.js'
import { prompt } from './prompt.js'

export const TeamDeleteTool = buildTool({
  name: 'TeamDelete',
  searchHint: 'delete agent team',
  needs: ['teams'],
  shouldDefer: true,
  mainAgentOnly: true,
  modes: { coordinating: true },
  description: 'Deletes the team',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      stop_members: z.boolean().optional().describe('Stop teammates that are still working; false if left out'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ team: z.string(), hasLeft: z.boolean() })),

  resources: () => ({ writes: [TEAM] }),
  // No approval is needed, because only Haft's own files change.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ stop_members = false }, { teams }) {
    const { team, hasLeft } = await teams.delete({ stopsMembers: stop_members })
    return { data: { team: team.name, hasLeft } }
  },

  mapToolResultToToolResultBlockParam: (deletion, toolUseId) => textResult(toolUseId, describe(deletion)),

  getActivityDescription: () => 'Deleting the team',
  userFacingName: () => 'Delete team',
  renderToolUseMessage: () => '',
  renderToolResultMessage: (deletion) => describe(deletion),
  extractSearchText: ({ team }) => team,
})

function describe({ team, hasLeft }: { readonly team: string; readonly hasLeft: boolean }): string {
  return hasLeft ? `You have left the team "${team}".` : `The team "${team}" is deleted.`
}
