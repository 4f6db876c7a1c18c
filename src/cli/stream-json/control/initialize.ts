import type { AgentKind } from '../../../session/agents/agent-kinds.js'
import { quote } from '../../../shared/quote.js'
import type { ProgramAdditions } from '../../agent-session/agent-session.js'
import { UsageError } from '../../io/exit.js'
import type { AgentOptions } from '../../options/agent-options.js'
import type { InitializeRequest } from '../schema/input-schema.js'
import type { ControlChannel } from './control-channel.js'
import { createProgramHooks } from './program-hooks.js'
import type { ProgramServers } from './program-servers.js'

/** Fields of the Agent SDK that Haft honours or that need no support, because Haft always or never does it. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['subtype', 'hooks', 'sdkMcpServers', 'sdkMcpServerConfigs', 'systemPrompt', 'appendSystemPrompt', 'jsonSchema'],
  ...['agents', 'skills', 'title', 'forwardSubagentText'],
  // Hints: the servers are asked for their tools, the prompt never changes in a session, and no dialogs exist.
  ...['sdkMcpServerManifests', 'sdkMcpServerManifestsOrigin', 'systemPromptSnapshot', 'excludeDynamicSections'],
  ...['supportedDialogKinds', 'perTaskStopAffordance'],
])

const KNOWN_AGENT_FIELDS: ReadonlySet<string> = new Set([
  ...['description', 'prompt', 'tools', 'disallowedTools', 'model', 'maxTurns', 'permissionMode'],
])

interface InitializeParts {
  readonly channel: ControlChannel
  readonly servers: ProgramServers
}

/** The options and additions of a session that a program has initialised. */
export interface InitializedSession {
  readonly options: AgentOptions
  readonly additions: ProgramAdditions
}

/** Applies an initialize request. Throws if it asks for something that Haft cannot do. */
export function applyInitialize(
  request: InitializeRequest,
  options: AgentOptions,
  { channel, servers }: InitializeParts,
): InitializedSession {
  refuseUnknownFields(request)
  const { systemPrompt, appendSystemPrompt, jsonSchema, hooks, agents, sdkMcpServers, title, skills } = request
  const system = Array.isArray(systemPrompt) ? systemPrompt.join('\n\n') : systemPrompt
  return {
    options: {
      ...options,
      ...(system != null && { systemPrompt: system }),
      ...(appendSystemPrompt != null && { appendSystemPrompt }),
      ...(jsonSchema != null && { jsonSchema: JSON.stringify(jsonSchema) }),
    },
    additions: {
      ...(hooks != null && { hooks: createProgramHooks(hooks, channel) }),
      ...(agents != null && { kinds: Object.entries(agents).map(([name, agent]) => toAgentKind(name, agent)) }),
      ...(sdkMcpServers != null && {
        servers: sdkMcpServers.map((name) =>
          servers.configure(name, request.sdkMcpServerConfigs?.[name]?.timeout ?? undefined),
        ),
      }),
      ...(skills != null && { skills }),
      ...(title != null && { title }),
    },
  }
}

function refuseUnknownFields(request: InitializeRequest): void {
  const unknownFields = listUsedFields(request).filter((field) => !KNOWN_FIELDS.has(field))
  const withPolicy = Object.entries(request.sdkMcpServerConfigs ?? {}).filter(([, config]) => isUsed(config.tools))
  const problems = [...unknownFields, ...withPolicy.map(([name]) => `sdkMcpServerConfigs.${name}.tools`)]
  if (problems.length > 0) throw new UsageError(`initialize: ${problems.join(', ')} cannot be honoured.`)
}

function listUsedFields(value: object): readonly string[] {
  return Object.entries(value).flatMap(([field, fieldValue]) => (isUsed(fieldValue) ? [field] : []))
}

/** Whether a field asks for something. The Agent SDK sends some fields with their default values. */
function isUsed(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function toAgentKind(name: string, agent: NonNullable<InitializeRequest['agents']>[string]): AgentKind {
  const unknownFields = listUsedFields(agent).filter((field) => !KNOWN_AGENT_FIELDS.has(field))
  if (unknownFields.length > 0)
    throw new UsageError(`initialize: ${unknownFields.join(', ')} of the agent ${quote(name)} cannot be honoured.`)
  const { description, prompt, tools, disallowedTools, model, maxTurns, permissionMode } = agent
  return {
    ...{ name, description, prompt, source: 'user' },
    ...(tools != null && { tools }),
    ...(disallowedTools != null && { disallowedTools }),
    ...(model != null && { model }),
    ...(maxTurns != null && { maxTurns }),
    ...(permissionMode != null && { permissionMode }),
  }
}
