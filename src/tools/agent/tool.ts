import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import {
  type AgentOutcome,
  type AgentProgress,
  DEFAULT_AGENT_KIND,
  findAgentKind,
  isReadOnlyAgentKind,
  isSameAgentKind,
} from '../../contract/ports/agents.js'
import type { ToolResources } from '../../contract/resources.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, collapsible, markdown, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import { cutText } from '../../shared/cut-text.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { quote } from '../../shared/quote.js'
import { TASK_LIST } from '../tasks/task-resources.js'
import { prompt } from './prompt.js'

const MAX_SUMMARY_CHARS = 100

interface AgentInput {
  readonly description: string
  readonly prompt: string
  readonly subagent_type?: string | undefined
  readonly model?: string | undefined
  readonly run_in_background?: boolean | undefined
  readonly isolation?: 'worktree' | undefined
  readonly name?: string | undefined
}

export const AgentTool = buildTool({
  name: 'Agent',
  aliases: ['Task'],
  searchHint: 'give a task to a sub-agent',
  needs: ['agents'],
  alwaysLoad: true,
  startsAgents: true,
  modes: { delegating: true },
  description: 'Gives a task to a sub-agent',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      description: z.string().min(1).describe('The task in three to five words, for the user'),
      prompt: z.string().min(1).describe('The task, with everything the agent needs to know'),
      subagent_type: z.string().min(1).optional().describe(`The kind; ${DEFAULT_AGENT_KIND} by default`),
      model: z.string().min(1).optional().describe('A model other than that of the kind'),
      run_in_background: z.boolean().optional().describe('Continue while the agent works'),
      isolation: z.enum(['worktree']).optional().describe('Works in a copy of the repository'),
      name: z.string().min(1).optional().describe('Makes it a teammate'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      status: z.enum(['ended', 'started']),
      agentId: z.string(),
      kind: z.string(),
      taskId: z.string().optional(),
      name: z.string().optional(),
      team: z.string().optional(),
      text: z.string(),
      tokens: z.number(),
      toolUses: z.number(),
      durationMs: z.number(),
      costUsd: z.number().optional(),
      cutShort: z.string().optional(),
      worktree: z.object({ path: z.string(), branch: z.string() }).optional(),
      notes: z.array(z.string()).optional(),
    }),
  ),

  makesOnlyNestedCalls: true,
  resources: getAgentResources,
  validateInput({ subagent_type = DEFAULT_AGENT_KIND }, { options: { agentDefinitions } }) {
    if (findAgentKind(agentDefinitions, subagent_type) !== undefined) return { result: true }
    return { result: false, errorCode: 1, message: describeUnknownKind(subagent_type, agentDefinitions) }
  },
  // Starting an agent has no effect by itself: each of the agent's calls is checked separately.
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  preparePermissionMatcher:
    ({ subagent_type = DEFAULT_AGENT_KIND }) =>
    (content) =>
      content.trim() === '*' || isSameAgentKind(content, subagent_type),
  toAutoClassifierInput: ({ subagent_type = DEFAULT_AGENT_KIND, prompt: task, isolation }) => ({
    kind: subagent_type,
    task,
    ...(isolation !== undefined && { isolation }),
  }),

  async call(
    input,
    { agents, options, toolUseId, cwd, messages, signal },
    _canUseTool,
    parentMessage,
    onProgress?: (progress: AgentProgress) => void,
  ) {
    const { description, prompt: task, subagent_type = DEFAULT_AGENT_KIND, model, isolation, name } = input
    const kind = findAgentKind(options.agentDefinitions, subagent_type)?.name ?? subagent_type
    const request = {
      ...{ description, prompt: task, kind, toolUseId, cwd, messages, parentMessage },
      ...(model !== undefined && { model }),
      ...(isolation !== undefined && { isolation }),
      ...(name !== undefined && { name }),
    }
    if (input.run_in_background === true || name !== undefined) {
      const startedAgent = await agents.start(request)
      const emptyAnswer = { text: '', tokens: 0, toolUses: 0, durationMs: 0 }
      return {
        data: {
          status: 'started' as const,
          kind,
          ...startedAgent,
          ...(name !== undefined && { name }),
          ...emptyAnswer,
        },
      }
    }
    const { notes, ...outcome } = await agents.run(request, {
      signal,
      ...(onProgress !== undefined && { onProgress }),
    })
    return {
      data: { status: 'ended' as const, kind, ...outcome, ...(notes !== undefined && { notes: [...notes] }) },
    }
  },

  mapToolResultToToolResultBlockParam: (answer, toolUseId) => textResult(toolUseId, formatAnswer(answer)),

  userFacingName: (input) => (typeof input?.subagent_type === 'string' ? input.subagent_type : 'Agent'),
  getToolUseSummary: (input) =>
    typeof input?.description === 'string' ? cutText(input.description, MAX_SUMMARY_CHARS) : null,
  getActivityDescription: (input) =>
    typeof input?.description === 'string' ? `Working on: ${cutText(input.description, MAX_SUMMARY_CHARS)}` : null,
  renderToolUseMessage: ({ description }) => (typeof description === 'string' ? description : ''),
  renderToolUseTag({ model, isolation, run_in_background, name }) {
    const remarks = [
      ...(typeof name === 'string' && name !== '' ? [`teammate ${name}`] : []),
      ...(typeof model === 'string' && model !== '' ? [model] : []),
      ...(isolation === 'worktree' ? ['worktree'] : []),
      ...(run_in_background === true ? ['in the background'] : []),
    ]
    return remarks.length === 0 ? '' : text(`(${remarks.join(', ')})`, 'muted')
  },
  renderToolUseQueuedMessage: () => text('Waiting for earlier calls', 'muted'),
  renderToolUseRejectedMessage: ({ prompt: task }) => (typeof task === 'string' ? markdown(task) : ''),
  renderToolUseProgressMessage(progress: readonly AgentProgress[]) {
    const lastProgress = progress.at(-1)
    if (lastProgress === undefined) return 'Starting'
    const currentTool = lastProgress.toolName === undefined ? '' : `${lastProgress.toolName} · `
    return `${currentTool}${formatCounted(lastProgress.toolUses, 'call')} · ${formatCounted(lastProgress.tokens, 'token')}`
  },
  renderToolResultMessage: (answer) => renderAnswer(answer),
  isResultTruncated: ({ status, text: answer }) => status === 'ended' && answer.trim() !== '',
  extractSearchText: ({ status, text: answer }) => (status === 'ended' ? answer : ''),
})

/**
 * Returns the resources of an agent, which are used only for scheduling. Permission is checked for each of the agent's calls.
 */
function getAgentResources({
  subagent_type = DEFAULT_AGENT_KIND,
  run_in_background,
  isolation,
  name,
}: AgentInput): ToolResources {
  if (run_in_background === true || name !== undefined) return { writes: [TASK_LIST] }
  if (isolation === 'worktree') return { reads: [], writes: [] }
  if (isReadOnlyAgentKind(subagent_type)) return { reads: [{ path: './' }] }
  return { unknown: true }
}

function describeUnknownKind(name: string, kinds: readonly { readonly name: string }[]): string {
  const names = kinds.map((kind) => kind.name)
  if (names.length === 0) return 'No agent kinds are available. Do the work yourself.'
  const similarNames = findNearestNames(name, names)
  const advice =
    similarNames.length > 0 ? `Did you mean ${similarNames.join(' or ')}?` : `Available: ${names.join(', ')}.`
  return `Unknown agent kind ${quote(name)}. ${advice}`
}

/** The output of a call, in which optional members may be undefined. */
type AgentAnswer = { readonly [K in keyof AgentOutcome]: AgentOutcome[K] | undefined } & {
  readonly status: 'ended' | 'started'
  readonly kind: string
  readonly taskId?: string | undefined
  readonly name?: string | undefined
  readonly team?: string | undefined
}

function renderAnswer(answer: AgentAnswer): View {
  const { status, taskId, name, team, text: answerText = '', cutShort, worktree, notes = [] } = answer
  if (status === 'started' && team !== undefined) return `${name} works in the team ${team} as task ${taskId}`
  if (status === 'started') return `Running in the background as task ${taskId}`
  const { toolUses = 0, tokens = 0, durationMs = 0 } = answer
  const duration = `${Math.round(durationMs / 1_000)} s`
  const summary = [formatCounted(toolUses, 'call'), formatCounted(tokens, 'token'), duration].join(', ')
  return block(
    collapsible(`Done: ${summary}`, markdown(answerText)),
    ...(cutShort === undefined ? [] : [text(`The agent did not finish: ${cutShort}`, 'warning')]),
    ...(worktree === undefined ? [] : [`Changes are in ${worktree.path}, on the branch ${worktree.branch}`]),
    ...notes.map((note) => text(note, 'muted')),
  )
}

function formatAnswer(answer: AgentAnswer): string {
  const { status, taskId, kind, text = '', cutShort, worktree, notes = [], toolUses = 0, tokens = 0 } = answer
  if (status === 'started' && answer.team !== undefined) {
    return `${answer.name} is now a member of the team "${answer.team}" and works in the background as task ${taskId}. You get its last text when it has finished. Write to it with SendMessage (if it is not loaded, ToolSearch loads it with "select:SendMessage"); TaskStop ends it.`
  }
  if (status === 'started') {
    return `The ${kind} agent is working in the background as task ${taskId}. You are notified when it ends; TaskOutput returns its answer, TaskStop ends it.`
  }
  return [
    ...(cutShort === undefined ? [] : [`[The agent did not finish: ${cutShort} Its last message follows.]`]),
    text.trim() === '' ? 'The agent ended without a final message.' : text,
    '',
    ...(worktree === undefined
      ? []
      : [`[It left changes in ${worktree.path}, on the branch ${worktree.branch}. They are not in the project yet.]`]),
    ...notes.map((note) => `[${note}]`),
    `[${kind} agent: ${formatCounted(toolUses, 'call')}, ${formatCounted(tokens, 'token')}]`,
  ].join('\n')
}
