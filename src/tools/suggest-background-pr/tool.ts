import * as z from 'zod'
import type { CommandAnalysis } from '../../contract/command.js'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, markdown, text } from '../../contract/view-builders.js'
import { quoteForShell } from '../../shared/quote.js'
import { matchesCommandRule } from '../../shell/patterns/match-command.js'
import { createBashOptions } from '../commands/bash-options.js'
import { checkCommandInput } from '../commands/check-command.js'
import { runCommand } from '../commands/run-command.js'
import { prompt } from './prompt.js'

const TOOL_NAME = 'SuggestBackgroundPR'
const MAX_TITLE_CHARS = 200
const MAX_BODY_CHARS = 20_000
/** Begins with no dash, so that git and gh cannot take it for an option. */
const BRANCH = /^[\w][\w./-]{0,200}$/

export const SuggestBackgroundPRTool = buildTool({
  name: TOOL_NAME,
  searchHint: 'suggest a pull request made in the background',
  needs: ['shell', 'tasks'],
  shouldDefer: true,
  requiredPrograms: ['gh'],
  runsOnlyItsCommand: true,
  description: 'Suggests a pull request',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      title: z.string().trim().min(1).max(MAX_TITLE_CHARS).describe('The title of the pull request'),
      body: z.string().trim().min(1).max(MAX_BODY_CHARS).describe('What changes and why, in Markdown'),
      base: z.string().regex(BRANCH).optional().describe('The branch to merge into; the default branch if left out'),
      draft: z.boolean().optional().describe('Whether it is only a draft; false if left out'),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ taskId: z.string() })),

  command: (input) => ({ text: toCommand(input), language: 'bash' }),
  isOpenWorld: () => true,
  preparePermissionMatcher: (_input, command?: CommandAnalysis) => (content) => matchesCommandRule(content, command),
  validateInput: (input, context) => checkCommandInput({ command: toCommand(input), run_in_background: true }, context),
  // A suggestion is for the user to decide, whatever rules allow.
  checkPermissions: () => ({
    behavior: 'ask',
    message: 'Push the branch and open this pull request in the background?',
    reason: { type: 'tool', text: 'a suggested pull request needs your decision' },
  }),
  toAutoClassifierInput: (input) => toCommand(input),

  async call(input, context) {
    const command = toCommand(input)
    const options = await createBashOptions(command, context, TOOL_NAME)
    const request = { command, run_in_background: true, description: `Pull request: ${input.title}` }
    const { data, backgroundWork } = await runCommand(request, context, options)
    if (data.taskId === undefined || backgroundWork === undefined)
      throw new ToolCallError('tool_failed', data.notes.join(' ') || 'git was not started.')
    return { data: { taskId: data.taskId }, backgroundWork }
  },

  mapToolResultToToolResultBlockParam: ({ taskId }, toolUseId) =>
    textResult(
      toolUseId,
      `The user agreed. The pull request is created in the background as task ${taskId}; you are told when it has ended, and TaskOutput has its URL.`,
    ),

  userFacingName: () => 'Suggested pull request',
  getToolUseSummary: (input) => (typeof input?.title === 'string' ? input.title : null),
  getActivityDescription: () => 'Suggesting a pull request',
  renderToolUseMessage: ({ title }) => (typeof title === 'string' ? title : ''),
  renderToolUseRejectedMessage: ({ title, body }) =>
    block(text(title, { bold: true }), ...(typeof body === 'string' ? [markdown(body)] : [])),
  renderToolResultMessage: ({ taskId }) => `Running in the background as task ${taskId}`,
})

interface SuggestInput {
  readonly title: string
  readonly body: string
  readonly base?: string | undefined
  readonly draft?: boolean | undefined
}

function toCommand({ title, body, base, draft }: SuggestInput): string {
  const options = [
    `--title=${quoteForShell(title)}`,
    `--body=${quoteForShell(body)}`,
    ...(base === undefined ? [] : [`--base=${base}`]),
    ...(draft === true ? ['--draft'] : []),
  ]
  return `git push --set-upstream origin HEAD && gh pr create ${options.join(' ')}`
}
