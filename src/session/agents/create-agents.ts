import { ToolCallError } from '../../contract/errors.js'
import { type AgentRequest, type AgentsPort, findAgentKind, isSameAgentKind } from '../../contract/ports/agents.js'
import { quote } from '../../shared/quote.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import type { AgentKind } from './agent-kinds.js'
import { type AgentSetting, AgentSettings, MAX_AGENT_DEPTH } from './agent-setting.js'
import type { AgentsOptions } from './agents-options.js'

/**
 * Creates the `agents` port of an agent from its runtime, for `agentPorts` of the tool runtime:
 *
 *     agentPorts: (runtime) => ({ agents: agents(runtime) })
 *
 * The code that runs agents is loaded with the first one.
 */
export function createAgents(options: AgentsOptions): (runtime: SessionRuntime) => AgentsPort {
  const settings = new AgentSettings(options)
  return (runtime) => ({
    async run(request, runOptions) {
      const parent = settings.of(runtime)
      const kind = requireKind(request, parent, options)
      const { runAgent } = await import('./run-agent.js')
      return runAgent({ request, kind, parent }, { options, settings }, runOptions)
    },
    async start(request) {
      const parent = settings.of(runtime)
      const kind = requireKind(request, parent, options)
      if (request.name !== undefined) {
        const { startTeammate } = await import('./start-teammate.js')
        return startTeammate({ request, kind, parent }, request.name, { options, settings })
      }
      const { startAgent } = await import('./start-agent.js')
      return startAgent({ request, kind, parent }, { options, settings })
    },
  })
}

/** Returns the requested kind, or throws if the calling agent may not start it. */
function requireKind(
  { kind: name, isolation }: AgentRequest,
  { runtime, kind: parentKind }: AgentSetting,
  { kinds }: AgentsOptions,
): AgentKind {
  if (runtime.depth >= MAX_AGENT_DEPTH) {
    const message = `Agents can be nested at most ${MAX_AGENT_DEPTH} levels deep. Do the work yourself.`
    throw new ToolCallError('tool_failed', message)
  }
  const kind = findAgentKind(kinds(), name)
  if (kind === undefined) {
    const names = kinds().map((knownKind) => knownKind.name)
    throw new ToolCallError('tool_failed', `Unknown kind of agent: ${quote(name)}. Known kinds: ${names.join(', ')}.`)
  }
  if (parentKind?.agents?.some((allowedKind) => isSameAgentKind(allowedKind, name)) === false) {
    throw new ToolCallError(
      'tool_failed',
      `A ${parentKind.name} agent may start only these kinds of agents: ${parentKind.agents.join(', ')}.`,
    )
  }
  if (isolation !== undefined && runtime.permissions.mode === 'plan') {
    throw new ToolCallError('permission_denied', 'No worktree is created in plan mode. Call Agent without isolation.')
  }
  return kind
}
