import { ToolCallError } from '../../contract/errors.js'
import { Conversation } from '../conversation/conversation.js'
import type { QueryEnd, SessionEvent } from '../conversation/session-event.js'
import { runEventHooks } from '../hooks/run-event-hooks.js'
import { StopGate } from '../hooks/stop-gate.js'
import { query } from '../loop/query.js'
import type { PendingInput } from '../loop/query-options.js'
import { createHookContext } from '../messages/attachments.js'
import type { AgentRunOptions, AgentsContext, AgentTask } from './agent-setting.js'
import type { AgentInfo, AgentsOptions } from './agents-options.js'
import { createAgentInfo, type OpenedAgent } from './open-agent.js'

/** Used if the kind has no `maxTurns`. */
const DEFAULT_MAX_TURNS = 100

/** The conversation of a sub-agent with its model. */
export class AgentLoop {
  readonly conversation: Conversation
  /** The fields of its hook events. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly emit: (event: SessionEvent) => void
  readonly #agent: OpenedAgent
  readonly #task: AgentTask
  readonly #options: AgentsOptions
  readonly #signal: AbortSignal

  constructor(agent: OpenedAgent, task: AgentTask, { options }: AgentsContext, runOptions: AgentRunOptions) {
    const { agentId } = agent
    const { kind, inbox } = task
    const path = options.transcripts?.agentPath?.(agentId)
    const info = createAgentInfo({ ...task, agentId })
    this.#agent = agent
    this.#task = task
    this.#options = options
    this.#signal = runOptions.signal
    this.fields = {
      ...{ agent_id: agentId, agent_type: kind.name },
      ...(path !== undefined && { agent_transcript_path: path }),
      ...(inbox !== undefined && { teammate_name: inbox.name, team_name: inbox.team }),
    }
    this.emit = createListener(agent, info, options, runOptions)
    this.conversation = new Conversation([], options.transcripts?.agentLog(agentId))
  }

  /** Adds the first messages and runs the SubagentStart hooks. */
  async begin(): Promise<void> {
    const { messages, setting } = this.#agent
    for (const message of messages) this.conversation.add(message)
    const hookOptions = { emit: this.emit, signal: this.#signal }
    const { stop, additionalContext } = await runEventHooks(
      setting.runtime.hooks,
      'SubagentStart',
      this.fields,
      hookOptions,
    )
    if (stop !== undefined) throw new ToolCallError('hook_blocked', `A SubagentStart hook stopped the agent: ${stop}`)
    if (additionalContext.length > 0) this.conversation.add(createHookContext('SubagentStart', additionalContext))
  }

  /** Lets the model work until it has finished. The hooks of `endEvent` can make it continue. */
  async run(
    endEvent: 'SubagentStop' | 'TeammateIdle',
    addPendingInput?: () => Promise<PendingInput>,
  ): Promise<QueryEnd> {
    const { setting, agentId, system } = this.#agent
    const { runtime, model, conversationId, spending } = setting
    const { maxTurns = DEFAULT_MAX_TURNS } = this.#task.kind
    const { announce, query: queryOptions, main } = this.#options
    const { maxBudgetUsd } = main()
    const { conversation, fields, emit } = this
    const signal = this.#signal
    const gate = new StopGate({ hooks: runtime.hooks, event: endEvent, fields, emit, signal })
    return query({
      ...queryOptions,
      ...{ runtime, model, system, conversation, signal, maxTurns, spending },
      ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
      conversationId: conversationId ?? agentId,
      host: { beforeEnd: (end) => gate.ask(end), ...(addPendingInput !== undefined && { addPendingInput }) },
      ...(announce !== undefined && { announce: announce(runtime) }),
      onEvent: emit,
    })
  }
}

/** Returns a listener that counts the calls of the agent, and passes events and progress on. */
function createListener(
  { setting, agentId }: OpenedAgent,
  info: AgentInfo,
  { onEvent }: AgentsOptions,
  { onProgress }: AgentRunOptions,
): (event: SessionEvent) => void {
  const { spending } = setting
  let toolName: string | undefined
  return (event) => {
    const toolEvent = event.type === 'tool-event' ? event.event : undefined
    if (toolEvent?.type === 'call-queued') {
      toolName = toolEvent.toolName
      spending.addToolUse()
    }
    onEvent?.(event, info)
    if (event.type !== 'request-started' && toolEvent?.type !== 'call-queued') return
    const { tokens, toolUses } = spending
    onProgress?.({ agentId, tokens, toolUses, ...(toolName !== undefined && { toolName }) })
  }
}
