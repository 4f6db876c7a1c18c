import * as z from 'zod'
import { createToldMode } from '../../contract/attachments.js'
import { textResult } from '../../contract/messages.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { formatPermissionRule } from '../../contract/permission/rule.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, markdown, text } from '../../contract/view-builders.js'
import { parseCommandPattern } from '../../shell/patterns/command-pattern.js'
import { prompt } from './prompt.js'

const MAX_PROMPTS = 20
const MAX_PROMPT_CHARS = 500

export const ExitPlanModeTool = buildTool({
  name: 'ExitPlanMode',
  searchHint: 'exit planning mode and execute',
  needs: ['settings', 'state'],
  shouldDefer: true,
  submitsPlan: true,
  mainAgentOnly: true,
  modes: { coordinating: true },
  description: 'Shows the plan and leaves plan mode',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      plan: z.string().trim().min(1).describe('The whole plan, in Markdown'),
      allowedPrompts: z
        .array(
          z.strictObject({
            tool: z.literal('Bash').describe('The tool that runs the command'),
            prompt: z.string().max(MAX_PROMPT_CHARS).describe('The exact command, such as "npm test"'),
          }),
        )
        .max(MAX_PROMPTS)
        .optional()
        .describe('Commands that the plan needs'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ plan: z.string(), mode: z.string() })),

  requiresUserInteraction: () => true,
  validateInput(_, { settings, agentId }) {
    if (agentId !== undefined)
      return createRefusal(1, 'A sub-agent cannot leave plan mode. Put the plan into your answer.')
    if (settings.toolPermissionContext.mode === 'plan') return { result: true }
    return createRefusal(2, 'Plan mode is not on. Continue with the work.')
  },
  // This tool asks the user itself, because no rule, hook or mode may answer: only the user can end plan mode.
  checkPermissions({ allowedPrompts = [] }, { settings: { modeBeforePlan } }) {
    const rules = createPromptRules(allowedPrompts)
    const commands = rules.length === 0 ? '' : ` It needs these commands: ${rules.join(', ')}.`
    return {
      behavior: 'ask',
      message: `Approve this plan and leave plan mode? The permission mode is then ${modeBeforePlan} again.${commands}`,
      suggestions: createUpdates(rules, modeBeforePlan),
    }
  },

  async call({ plan }, { settings, state }) {
    const { modeBeforePlan } = settings
    // The user's answer may already have set another mode.
    if (settings.toolPermissionContext.mode === 'plan') {
      await settings.applyPermissionUpdates([{ type: 'setMode', destination: 'session', mode: modeBeforePlan }])
    }
    state.setAppState((stateBefore) => ({ ...stateBefore, plan }))
    const { mode } = settings.toolPermissionContext
    return { data: { plan, mode }, newMessages: [createToldMode(mode)] }
  },

  mapToolResultToToolResultBlockParam({ plan }, toolUseId) {
    return textResult(
      toolUseId,
      `The user approved the plan, and plan mode is off. Start; keep a todo list if the plan has several steps. The approved plan:\n\n${plan}`,
    )
  },

  getActivityDescription: () => 'Waiting for plan approval',
  userFacingName: () => 'Plan',
  renderToolUseMessage: () => '',
  renderToolUseRejectedMessage: ({ plan }) => (typeof plan === 'string' ? markdown(plan) : ''),
  renderToolResultMessage: ({ plan, mode }) =>
    block(text(`The plan was approved (mode ${mode})`, 'success'), markdown(plan)),
  extractSearchText: ({ plan }) => plan,
})

function createRefusal(errorCode: number, message: string) {
  return { result: false as const, errorCode, message }
}

/** A command that a plan needs. */
interface AllowedPrompt {
  readonly tool: 'Bash'
  readonly prompt: string
}

/**
 * Creates rules that the user can allow together with the plan. Each covers one exact command, because a pattern could allow
 * too much.
 */
function createPromptRules(prompts: readonly AllowedPrompt[]): readonly string[] {
  const rules = prompts.flatMap(({ tool, prompt }) => {
    const command = prompt.trim()
    return isExact(command) ? [formatPermissionRule({ toolName: tool, content: command })] : []
  })
  return [...new Set(rules)]
}

/** Creates the options that the user has besides a plain yes. They apply only if the answer contains them. */
function createUpdates(rules: readonly string[], modeAfter: string): readonly PermissionUpdate[] {
  const acceptEdits: PermissionUpdate = { type: 'setMode', destination: 'session', mode: 'acceptEdits' }
  return [
    ...(modeAfter === 'default' ? [acceptEdits] : []),
    ...(rules.length > 0
      ? [{ type: 'addRules' as const, destination: 'session' as const, behavior: 'allow' as const, rules }]
      : []),
  ]
}

/** Rejects line breaks and invisible characters, which would hide a part of the command from the user. */
function isExact(command: string): boolean {
  return command !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(command) && parseCommandPattern(command).kind === 'exact'
}
