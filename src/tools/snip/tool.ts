import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { formatCounted } from '../../shared/counted.js'
import { prompt } from './prompt.js'

export const SnipTool = buildTool({
  name: 'Snip',
  searchHint: 'remove earlier steps of this conversation',
  needs: ['history'],
  shouldDefer: true,
  mainAgentOnly: true,
  description: 'Removes earlier steps of the conversation, or restores them',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      from: z.string().min(1).optional().describe('Id of the first step to remove, from CtxInspect'),
      to: z.string().min(1).optional().describe('Id of the last step to remove; the same as `from` if left out'),
      reason: z.string().optional().describe('Why the steps are no longer needed, in one sentence'),
      restore: z.string().min(1).optional().describe('Id of an earlier removal to undo, instead of `from` and `to`'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      action: z.enum(['removed', 'restored']),
      snipId: z.string(),
      steps: z.number(),
      tokens: z.number(),
      tokensAfter: z.number(),
    }),
  ),

  // Only what the model remembers changes, and it can be undone.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  resources: () => ({ reads: [], writes: [{ thing: 'conversation' }] }),
  validateInput({ from, to, restore }) {
    if (restore !== undefined && (from !== undefined || to !== undefined))
      return { result: false, errorCode: 1, message: 'Give either `restore`, or `from` and `to`.' }
    if (restore === undefined && from === undefined)
      return {
        result: false,
        errorCode: 2,
        message:
          'Give the id of a step as `from`; CtxInspect lists the steps. To undo a removal, give its id as `restore`.',
      }
    return { result: true }
  },

  async call({ from = '', to = from, reason, restore }, { history }) {
    if (restore !== undefined) return { data: { action: 'restored' as const, ...(await history.restore(restore)) } }
    return { data: { action: 'removed' as const, ...(await history.snip({ from, to, reason })) } }
  },

  mapToolResultToToolResultBlockParam({ action, snipId, steps, tokens }, toolUseId) {
    const done = `${action === 'removed' ? 'Removed' : 'Restored'} ${formatCounted(steps, 'step')} of about ${tokens} tokens.`
    return textResult(toolUseId, action === 'removed' ? `${done} To undo this: restore "${snipId}".` : done)
  },

  getActivityDescription: () => 'Changing the history',
  userFacingName: () => 'Snip',
  renderToolUseMessage: ({ from, to, restore }) => {
    if (typeof restore === 'string') return `restore ${restore}`
    if (typeof from !== 'string') return ''
    return typeof to === 'string' && to !== from ? `${from} to ${to}` : from
  },
  renderToolResultMessage: ({ action, steps, tokens }) =>
    `${action === 'removed' ? 'Removed' : 'Restored'} ${formatCounted(steps, 'step')}, about ${tokens.toLocaleString('en-US')} tokens`,
  extractSearchText: ({ action, steps, tokens }) =>
    `${action === 'removed' ? 'Removed' : 'Restored'} ${formatCounted(steps, 'step')}, about ${tokens.toLocaleString('en-US')} tokens`,
})
