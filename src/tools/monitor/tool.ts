import * as z from 'zod'
import type { CommandAnalysis } from '../../contract/command.js'
import { TOOL_SUMMARY_MAX_LENGTH } from '../../contract/limits.js'
import { textResult } from '../../contract/messages.js'
import type { WorkEnd } from '../../contract/ports/tasks.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { ToolContext } from '../../contract/tool/tool.js'
import { text } from '../../contract/view-builders.js'
import { shortenText } from '../../shared/cut-text.js'
import { matchesCommandRule } from '../../shell/patterns/match-command.js'
import { createBashOptions } from '../commands/bash-options.js'
import { checkCommandInput, runsConfined } from '../commands/check-command.js'
import { LineReporter, StartedTask } from '../commands/line-reporter.js'
import { runCommand } from '../commands/run-command.js'
import { prompt } from './prompt.js'
import { watchSocket } from './watch-socket.js'

const TOOL_NAME = 'Monitor'
const DEFAULT_MAX_EVENTS = 50
const MAX_EVENTS = 1_000
const DEFAULT_IDLE_SECONDS = 300
const MAX_IDLE_SECONDS = 3_600
const MAX_FILTER_CHARS = 500
const MAX_URL_CHARS = 2_000

export const MonitorTool = buildTool({
  name: TOOL_NAME,
  searchHint: 'react to each line of a command or WebSocket',
  needs: ['shell', 'tasks', 'http'],
  shouldDefer: true,
  runsOnlyItsCommand: true,
  description: ({ description }) => description ?? 'Watches the output of a command or a WebSocket',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      command: z.string().min(1).optional().describe('The command whose output is watched; required without ws'),
      ws: z
        .string()
        .min(1)
        .max(MAX_URL_CHARS)
        .optional()
        .describe('Instead of a command: the WebSocket to watch, for example wss://example.com/events'),
      description: z.string().optional().describe('What is watched, in five to ten words, for the user'),
      filter: z
        .string()
        .min(1)
        .max(MAX_FILTER_CHARS)
        .optional()
        .describe('Regular expression; only lines that it matches are reported'),
      max_events: z
        .number()
        .int()
        .min(1)
        .max(MAX_EVENTS)
        .optional()
        .describe(`Ends after this many reported lines; ${DEFAULT_MAX_EVENTS} if left out`),
      idle_timeout: z
        .number()
        .positive()
        .max(MAX_IDLE_SECONDS)
        .optional()
        .describe(`Ends after this many seconds without output; ${DEFAULT_IDLE_SECONDS} if left out`),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ taskId: z.string(), maxEvents: z.number(), idleSeconds: z.number() })),

  command: ({ command }) => (command === undefined ? undefined : { text: command, language: 'bash' }),
  connectsOnlyTo: ({ ws }) => ws,
  isReadOnly: (input, command?: CommandAnalysis) => isConnection(input) || command?.isReadOnly === true,
  isDestructive: (input, command?: CommandAnalysis) => !isConnection(input) && command?.isReadOnly !== true,
  isOpenWorld: (_input, command?: CommandAnalysis) => command?.resources.network !== false,
  preparePermissionMatcher: (input, command?: CommandAnalysis) => (content) =>
    !isConnection(input) && matchesCommandRule(content, command),
  validateInput({ command, ws, filter }, context) {
    if ((command === undefined) === (ws === undefined))
      return { result: false, errorCode: 11, message: 'Send either command or ws, not both.' }
    const urlProblem = ws === undefined ? undefined : findUrlProblem(ws)
    if (urlProblem !== undefined) return { result: false, errorCode: 12, message: urlProblem }
    if (filter !== undefined && !isExpression(filter))
      return {
        result: false,
        errorCode: 10,
        message: `The filter ${JSON.stringify(filter)} is not a regular expression.`,
      }
    return command === undefined ? { result: true } : checkCommandInput({ command, run_in_background: true }, context)
  },
  checkPermissions: async (_input, context) => ({ behavior: 'passthrough', isConfined: await runsConfined(context) }),
  toAutoClassifierInput: ({ command, ws }) => command ?? ws ?? '',

  async call(input, context) {
    const { max_events: maxEvents = DEFAULT_MAX_EVENTS, idle_timeout: idleSeconds = DEFAULT_IDLE_SECONDS } = input
    const { tasks } = context
    const task = new StartedTask(tasks)
    const reporter = new LineReporter({
      ...{ filter: input.filter, maxEvents, idleMs: idleSeconds * 1_000 },
      report: (event) => task.report(event),
      stop: () => task.stop(),
    })
    try {
      const { taskId, ended, backgroundWork } = await startSource(input, context, reporter)
      void ended.then(() => reporter.close())
      task.begin(taskId)
      return { data: { taskId, maxEvents, idleSeconds }, ...(backgroundWork !== undefined && { backgroundWork }) }
    } catch (error) {
      reporter.close()
      throw error
    }
  },

  mapToolResultToToolResultBlockParam({ taskId, maxEvents, idleSeconds }, toolUseId) {
    return textResult(
      toolUseId,
      `Watching in the background as task ${taskId}. Each line is reported to you, up to ${maxEvents} lines; the monitor ends after ${idleSeconds} s without output. Continue with other work, or end your turn: a report wakes you.`,
    )
  },

  getToolUseSummary: (input) => shorten(input?.description) ?? shorten(input?.command) ?? shorten(input?.ws) ?? null,
  getActivityDescription: () => 'Starting a monitor',
  renderToolUseMessage: ({ command, ws }) => shorten(command) ?? shorten(ws) ?? '',
  renderToolUseTag: ({ filter }) => (typeof filter === 'string' ? text(`(lines with ${filter})`, 'muted') : ''),
  renderToolResultMessage: ({ taskId }) => `Watching as task ${taskId}`,
})

/** Starts the command or opens the connection that is watched. */
async function startSource(
  { command, ws, description }: MonitorInput,
  context: ToolContext<'shell' | 'tasks' | 'http'>,
  reporter: LineReporter,
): Promise<StartedSource> {
  if (command === undefined) {
    const url = ws ?? ''
    const watch = { url, description: description ?? url, signal: context.signal }
    return watchSocket(context, { ...watch, onLine: (line) => reporter.pushLine(line) })
  }
  const options = await createBashOptions(command, context, TOOL_NAME)
  const start = { kind: 'monitor' as const, onOutput: (chunk: Uint8Array) => reporter.push(chunk) }
  const request = { command, run_in_background: true, ...(description !== undefined && { description }) }
  const { data, backgroundWork } = await runCommand(request, context, { ...options, start })
  const { taskId, notes } = data
  if (taskId === undefined || backgroundWork === undefined)
    throw new Error(notes.join(' ') || 'The command was not started.')
  return { taskId, ended: backgroundWork, backgroundWork }
}

interface MonitorInput {
  readonly command?: string | undefined
  readonly ws?: string | undefined
  readonly description?: string | undefined
}

interface StartedSource {
  readonly taskId: string
  readonly ended: Promise<unknown>
  /** Set for a command, which may change files. */
  readonly backgroundWork?: Promise<WorkEnd>
}

/** Whether a call opens a connection. A call with a command is judged by the command, even if it also has a URL. */
function isConnection({ command, ws }: MonitorInput): boolean {
  return command === undefined && ws !== undefined
}

function findUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url))
    return `${JSON.stringify(url)} is not a valid URL. Write it in full: wss://example.com/events.`
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'ws:' && protocol !== 'wss:')
    return `The URL of a WebSocket starts with wss:// or ws://, not with ${protocol}`
  if (username !== '' || password !== '') return 'Remove the user name and password from the URL.'
  return undefined
}

function isExpression(filter: string): boolean {
  try {
    return new RegExp(filter) !== undefined
  } catch {
    // Not a valid regular expression.
    return false
  }
}

function shorten(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return shortenText(value.trim().split('\n')[0] ?? '', TOOL_SUMMARY_MAX_LENGTH)
}
