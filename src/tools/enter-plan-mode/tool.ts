import * as z from 'zod'
import { createToldMode } from '../../contract/attachments.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { prompt } from './prompt.js'

export const EnterPlanModeTool = buildTool({
  name: 'EnterPlanMode',
  searchHint: 'enter planning mode for complex tasks',
  needs: ['settings'],
  shouldDefer: true,
  mainAgentOnly: true,
  modes: { coordinating: true },
  description: 'Enters plan mode',
  prompt,

  inputSchema: lazySchema(() => z.strictObject({})),
  outputSchema: lazySchema(() => z.object({ modeBefore: z.string() })),

  isReadOnly: () => true,
  requiresUserInteraction: () => true,
  validateInput(_, { settings, agentId }) {
    if (agentId !== undefined) return createRefusal(1, 'A sub-agent has no plan mode. Put the plan into your answer.')
    if (settings.toolPermissionContext.mode !== 'plan') return { result: true }
    return createRefusal(2, 'Plan mode is already on. Call ExitPlanMode when the plan is ready.')
  },
  // The user chooses the mode, so even a change to a stricter mode needs their consent.
  checkPermissions: () => ({
    behavior: 'ask',
    message: 'Enter plan mode? Until you approve a plan, files are only read and nothing is changed.',
  }),

  async call(_, { settings }) {
    const modeBefore = settings.toolPermissionContext.mode
    await settings.applyPermissionUpdates([{ type: 'setMode', destination: 'session', mode: 'plan' }])
    return { data: { modeBefore }, newMessages: [createToldMode('plan')] }
  },

  mapToolResultToToolResultBlockParam: (_, toolUseId) =>
    textResult(
      toolUseId,
      'Plan mode is on: calls that change something are refused. Investigate with tools that only read, ask the user to decide open questions with AskUserQuestion, then call ExitPlanMode with the plan.',
    ),

  getActivityDescription: () => 'Entering plan mode',
  userFacingName: () => 'Plan mode',
  renderToolUseMessage: () => '',
  renderToolResultMessage: () => 'Plan mode is on',
})

function createRefusal(errorCode: number, message: string) {
  return { result: false as const, errorCode, message }
}
