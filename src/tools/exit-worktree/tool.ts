import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { prompt } from './prompt.js'

export const ExitWorktreeTool = buildTool({
  name: 'ExitWorktree',
  searchHint: 'exit and clean up git worktree',
  needs: ['worktrees'],
  shouldDefer: true,
  mainAgentOnly: true,
  description: 'Returns from the worktree to the project',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      action: z.enum(['keep', 'remove']).describe('What happens to the worktree'),
      discard_changes: z
        .boolean()
        .optional()
        .describe('With "remove": moves uncommitted work to a folder instead of refusing; the user is asked'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      name: z.string(),
      path: z.string(),
      branch: z.string(),
      cwd: z.string(),
      isRemoved: z.boolean(),
      isBranchKept: z.boolean(),
      savedRefs: z.array(z.string()),
      savedFolder: z.string().optional(),
    }),
  ),

  isDestructive: ({ action }) => action === 'remove',
  validateInput(_, { worktrees, agentId }) {
    if (agentId !== undefined) return refuse(1, 'A sub-agent cannot move the session. Finish your task instead.')
    if (worktrees.current !== undefined) return { result: true }
    return refuse(2, 'The session is not in a worktree that EnterWorktree entered, so there is nothing to leave.')
  },
  // Only work that is saved elsewhere is removed, so only moving unsaved work needs approval.
  checkPermissions(input, { worktrees }) {
    if (input.action !== 'remove' || input.discard_changes !== true) return { behavior: 'allow', updatedInput: input }
    const message = `Remove the worktree ${worktrees.current?.path ?? ''}? Work in it that is not committed is moved to another folder.`
    return { behavior: 'ask', message }
  },
  toAutoClassifierInput: ({ action, discard_changes }) => ({ action, discard_changes }),

  async call({ action, discard_changes = false }, { worktrees }) {
    const leftWorktree =
      action === 'keep' ? worktrees.leave() : await worktrees.remove({ movesUnsavedWork: discard_changes })
    const data = { ...leftWorktree, savedRefs: [...leftWorktree.savedRefs] }
    return { data, contextModifier: (contextBefore) => ({ ...contextBefore, cwd: data.cwd }) }
  },

  mapToolResultToToolResultBlockParam(
    { path, branch, cwd, isRemoved, isBranchKept, savedRefs, savedFolder },
    toolUseId,
  ) {
    const sentences = [
      `The session is back in the project. The working directory is ${cwd}.`,
      isRemoved ? `The worktree ${path} was removed.` : `The worktree ${path} was kept.`,
      ...(isBranchKept ? [`The branch ${branch} still exists.`] : []),
      ...(savedFolder === undefined ? [] : [`Everything that was in the worktree is now in ${savedFolder}.`]),
      ...(savedRefs.length === 0 ? [] : [`Commits that are on no branch are kept as ${savedRefs.join(', ')}.`]),
    ]
    return textResult(toolUseId, sentences.join(' '))
  },

  getToolUseSummary: (input) => (typeof input?.action === 'string' ? input.action : null),
  getActivityDescription: () => 'Leaving the worktree',
  userFacingName: () => 'Exit worktree',
  renderToolUseMessage: ({ action, discard_changes }) =>
    typeof action === 'string' ? `${action}${discard_changes === true ? ', moving uncommitted work' : ''}` : '',
  renderToolResultMessage({ path, branch, isRemoved, isBranchKept, savedFolder }) {
    const place = savedFolder === undefined ? '' : `; its files are in ${savedFolder}`
    const branchNote = isRemoved && isBranchKept ? `; the branch ${branch} was kept` : ''
    return `${isRemoved ? 'Removed' : 'Kept'} ${path}${place}${branchNote}`
  },
  extractSearchText: ({ path }) => path,
})

function refuse(errorCode: number, message: string) {
  return { result: false as const, errorCode, message }
}
