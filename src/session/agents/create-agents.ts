import { ToolCallError } from '../../contract/errors.js'
import { type AgentRequest, type AgentsPort, findAgentKind, isSameAgentKind } from '../../contract/ports/agents.js'
import { quote } from '../../shared/quote.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import type { AgentKind } from './agent-kind.js'
import { MAX_AGENT_DEPTH } from './agent-limits.js'
import { type AgentSetting, AgentSettings } from './agent-setting.js'
import type { AgentsOptions } from './agents-options.js'

/**
 * Makes the `agents` port of an agent from its runtime, for `agentPorts` of the tool runtime:
 *
 *     agentPorts: (runtime) => ({ agents: agents(runtime) })
 *
 * What runs an agent is loaded with the first.
 */
export function createAgents(options: AgentsOptions): (runtime: SessionRuntime) => AgentsPort {
  const settings = new AgentSettings(options)
  return (runtime) => ({
    async run(request, how) {
      const parent = settings.of(runtime)
      const kind = kindFor(request, parent, options)
      const { runAgent } = await import('./run-agent.js')
      return runAgent({ request, kind, parent }, { options, settings }, how)
    },
    async start(request) {
      const parent = settings.of(runtime)
      const kind = kindFor(request, parent, options)
      const { startAgent } = await import('./start-agent.js')
      return startAgent({ request, kind, parent }, { options, settings })
    },
  })
}

/** The kind that is asked for, if there may be one of it here. */
function kindFor(
  { kind: name, isolation }: AgentRequest,
  { runtime, kind: own }: AgentSetting,
  { kinds }: AgentsOptions,
): AgentKind {
  if (runtime.depth >= MAX_AGENT_DEPTH) {
    throw new ToolCallError('tool_failed', 'This agent is too deep below others to start one. Do the work yourself.')
  }
  const kind = findAgentKind(kinds(), name)
  if (kind === undefined) throw new ToolCallError('tool_failed', `There is no kind of agent ${quote(name)}.`)
  if (own?.agents?.some((allowed) => isSameAgentKind(allowed, name)) === false) {
    throw new ToolCallError('tool_failed', `A ${own.name} agent may start only ${own.agents.join(', ')}.`)
  }
  if (isolation !== undefined && runtime.permissions.mode === 'plan') {
    throw new ToolCallError('permission_denied', 'Plan mode makes no worktree. Call Agent without isolation.')
  }
  return kind
}
