import type { AgentSession } from '../../agent-session/agent-session.js'
import type { PromptCommand } from '../../agent-session/prompt-commands.js'
import type { InitializeRequest } from '../schema/input-schema.js'

interface InitializedFacts {
  readonly session: AgentSession
  readonly request: InitializeRequest
  readonly commands: readonly PromptCommand[]
  readonly version: string
}

/** Creates the response to initialize, with the fields of the Agent SDK and those of Haft. */
export function describeInitialized({ session, request, commands, version }: InitializedFacts) {
  const { model, agents, keyVariable } = session.facts
  const manifests = request.sdkMcpServerManifests
  return {
    ...{ version, session_id: session.id, claude_code_version: version, pid: process.pid },
    commands: commands.map(({ name, description, argumentHint = '' }) => ({ name, description, argumentHint })),
    agents: agents.map(({ name, description, model: agentModel }) => ({
      ...{ name, description },
      ...(agentModel !== undefined && { model: agentModel }),
    })),
    ...{ output_style: 'default', available_output_styles: ['default'] },
    models: [{ value: model, displayName: model, description: 'The model of this session.' }],
    account: keyVariable === undefined ? {} : { apiKeySource: keyVariable },
    ...(request.hooks != null && { hooks_applied: true }),
    hook_on_failure_supported: true,
    ...(typeof manifests === 'object' &&
      manifests !== null && {
        sdk_mcp_manifests_parked: Object.fromEntries(Object.keys(manifests).map((name) => [name, 'not_honoured'])),
      }),
  }
}
