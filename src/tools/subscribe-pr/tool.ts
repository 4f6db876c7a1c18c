import * as z from 'zod'
import type { CommandAnalysis } from '../../contract/command.js'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { matchesCommandRule } from '../../shell/patterns/match-command.js'
import { createBashOptions } from '../commands/bash-options.js'
import { checkCommandInput, runsConfined } from '../commands/check-command.js'
import { LineReporter, StartedTask } from '../commands/line-reporter.js'
import { runCommand } from '../commands/run-command.js'
import { prompt } from './prompt.js'
import { PullRequestChanges, WATCHED_FIELDS } from './pull-request-changes.js'

const TOOL_NAME = 'SubscribePR'
const DEFAULT_INTERVAL_SECONDS = 60
const MIN_INTERVAL_SECONDS = 15
const MAX_INTERVAL_SECONDS = 3_600
const MAX_EVENTS = 500
/** Comments of a pull request can be long, but not endless. */
const MAX_ANSWER_CHARS = 8 * 1024 ** 2
/** A number, or the URL of a pull request. Nothing in it has a meaning for the shell. */
const PULL_REQUEST = /^(?:#?\d{1,9}|https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+\/pull\/\d{1,9})$/

export const SubscribePRTool = buildTool({
  name: TOOL_NAME,
  searchHint: 'follow a pull request',
  needs: ['shell', 'tasks'],
  shouldDefer: true,
  requiredPrograms: ['gh'],
  runsOnlyItsCommand: true,
  description: 'Follows a pull request',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      pr: z.string().regex(PULL_REQUEST).describe('The number of the pull request, or its URL'),
      interval_seconds: z
        .number()
        .int()
        .min(MIN_INTERVAL_SECONDS)
        .max(MAX_INTERVAL_SECONDS)
        .optional()
        .describe(`The time between two looks; ${DEFAULT_INTERVAL_SECONDS} if left out`),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ taskId: z.string(), pr: z.string(), intervalSeconds: z.number() })),

  command: (input) => ({ text: toCommand(input), language: 'bash' }),
  isReadOnly: (_input, command?: CommandAnalysis) => command?.isReadOnly === true,
  isOpenWorld: () => true,
  preparePermissionMatcher: (_input, command?: CommandAnalysis) => (content) => matchesCommandRule(content, command),
  validateInput: (input, context) => checkCommandInput({ command: toCommand(input), run_in_background: true }, context),
  checkPermissions: async (_input, context) => ({ behavior: 'passthrough', isConfined: await runsConfined(context) }),
  toAutoClassifierInput: (input) => toCommand(input),

  async call(input, context) {
    const { pr, interval_seconds: intervalSeconds = DEFAULT_INTERVAL_SECONDS } = input
    const task = new StartedTask(context.tasks)
    const reporter = new LineReporter({
      ...{ maxEvents: MAX_EVENTS, idleMs: 10 * intervalSeconds * 1_000 },
      report: (event) => task.report(event),
      stop: () => task.stop(),
    })
    const answers = new AnswerLines((changes, hasEnded) => {
      for (const change of changes) reporter.pushLine(change)
      if (hasEnded) task.stop()
    })
    const command = toCommand(input)
    const options = await createBashOptions(command, context, TOOL_NAME)
    const start = { kind: 'monitor' as const, onOutput: (chunk: Uint8Array) => answers.push(chunk) }
    const request = { command, run_in_background: true, description: `Pull request ${pr}` }
    try {
      const { data, backgroundWork } = await runCommand(request, context, { ...options, start })
      if (data.taskId === undefined || backgroundWork === undefined)
        throw new ToolCallError('tool_failed', data.notes.join(' ') || 'gh was not started.')
      void backgroundWork.then(() => reporter.close())
      task.begin(data.taskId)
      return { data: { taskId: data.taskId, pr, intervalSeconds }, backgroundWork }
    } catch (error) {
      reporter.close()
      throw error
    }
  },

  mapToolResultToToolResultBlockParam: ({ taskId, pr, intervalSeconds }, toolUseId) =>
    textResult(
      toolUseId,
      `Following pull request ${pr} in the background as task ${taskId}, every ${intervalSeconds} s. Changes are reported to you; it ends when the pull request is merged or closed.`,
    ),

  getToolUseSummary: (input) => (typeof input?.pr === 'string' ? input.pr : null),
  getActivityDescription: () => 'Subscribing to a pull request',
  renderToolUseMessage: ({ pr }) => (typeof pr === 'string' ? pr : ''),
  renderToolResultMessage: ({ taskId }) => `Following as task ${taskId}`,
})

interface SubscribeInput {
  readonly pr: string
  readonly interval_seconds?: number | undefined
}

function toCommand({ pr, interval_seconds: seconds = DEFAULT_INTERVAL_SECONDS }: SubscribeInput): string {
  return `while gh pr view ${pr.replace('#', '')} --json ${WATCHED_FIELDS}; do sleep ${seconds}; done`
}

/** Collects the answers of gh, one per line. */
class AnswerLines {
  readonly #decoder = new TextDecoder()
  readonly #changes = new PullRequestChanges()
  readonly #onChanges: (changes: readonly string[], hasEnded: boolean) => void
  #partialLine = ''
  /** What gh prints after the last answer does not count. */
  #hasEnded = false

  constructor(onChanges: (changes: readonly string[], hasEnded: boolean) => void) {
    this.#onChanges = onChanges
  }

  push(chunk: Uint8Array): void {
    const lines = (this.#partialLine + this.#decoder.decode(chunk, { stream: true })).split('\n')
    const rest = lines.pop() ?? ''
    this.#partialLine = rest.length > MAX_ANSWER_CHARS ? '' : rest
    for (const line of lines) {
      if (this.#hasEnded) return
      const { changes, hasEnded } = this.#changes.compare(line)
      this.#hasEnded = hasEnded
      this.#onChanges(changes, hasEnded)
    }
  }
}
