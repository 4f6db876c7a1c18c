import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { prompt } from './prompt.js'

export const EnterWorktreeTool = buildTool({
  name: 'EnterWorktree',
  searchHint: 'create isolated git worktree',
  needs: ['worktrees'],
  shouldDefer: true,
  mainAgentOnly: true,
  description: 'Works in an isolated git worktree',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      name: z
        .string()
        .optional()
        .describe('Name of the worktree: letters, digits, "-", "_" and "."; a new name is chosen if left out'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      name: z.string(),
      path: z.string(),
      branch: z.string(),
      cwd: z.string(),
      isNew: z.boolean(),
    }),
  ),

  validateInput(_, { worktrees, agentId }) {
    if (agentId !== undefined)
      return refuse(1, 'A sub-agent cannot move the session. Start an agent with isolation "worktree" instead.')
    const { current } = worktrees
    if (current === undefined) return { result: true }
    return refuse(2, `The session is already in the worktree ${current.path}. Call ExitWorktree first.`)
  },
  // Nothing is at risk: a new folder with files of the last commit, and a branch of its own.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  toAutoClassifierInput: ({ name }) => ({ name }),

  async call({ name }, { worktrees, signal }) {
    const data = await worktrees.enter(name, { signal })
    return { data, contextModifier: (contextBefore) => ({ ...contextBefore, cwd: data.cwd }) }
  },

  mapToolResultToToolResultBlockParam({ path, branch, cwd, isNew }, toolUseId) {
    const origin = isNew ? `a new worktree on the branch ${branch}` : 'a worktree that already existed'
    return textResult(
      toolUseId,
      `The session is now in ${path}, ${origin}. The working directory is ${cwd}. Use paths in it; files that you read in the project must be read again here.`,
    )
  },

  getToolUseSummary: (input) => (typeof input?.name === 'string' ? input.name : null),
  getActivityDescription: () => 'Creating a worktree',
  userFacingName: () => 'Enter worktree',
  renderToolUseMessage: ({ name }) => (typeof name === 'string' ? name : ''),
  renderToolResultMessage: ({ path, branch }) => `Now in ${path} (branch ${branch})`,
  extractSearchText: ({ path }) => path,
})

function refuse(errorCode: number, message: string) {
  return { result: false as const, errorCode, message }
}
