import { chooseTools, UnknownToolChoiceError } from '../../../assembly/choose-tools.js'
import type { Tools } from '../../../contract/tool.js'
import type { AskPermission } from '../../../execution/execution-host.js'
import { systemPrompt } from '../../../session/context/system-prompt.js'
import { Conversation } from '../../../session/conversation.js'
import { userRequestOf } from '../../../session/messages/user-request-of.js'
import { Session } from '../../../session/session.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import { loadCommandSettings } from '../../load-command-settings.js'
import { openToolSession } from '../../open-tool-session.js'
import { asUsageError } from '../../usage-error.js'
import { warn } from '../../warn.js'
import type { AgentSession } from './agent-session.js'
import { awaitServers } from './await-servers.js'
import { type Briefing, loadBriefing } from './load-briefing.js'
import { type OpenedConversation, openConversation } from './open-conversation.js'
import { type OpenedModels, openModels, thinkingOf } from './open-models.js'
import { PermissionPromptTool } from './permission-prompt-tool.js'
import type { PrintOptions } from './print-options.js'
import { PrintSession } from './print-session.js'
import type { StructuredAnswer } from './structured-answer.js'
import { surroundingsOf } from './surroundings-of.js'
import { takeOver } from './take-over.js'

/** Puts together what a prompt needs: settings, model, transcript, tools, and the session over them. */
export async function openAgentSession(
  io: CommandIo,
  host: CommandHost,
  options: PrintOptions,
  askDriver?: AskPermission,
): Promise<AgentSession> {
  const tools = chosenTools(options)
  const settings = await loadCommandSettings(io, host, { values: options.settings, tools: builtInTools })
  const [models, briefing, answer] = await Promise.all([
    openModels(options, settings, io.variables),
    loadBriefing(io, host, settings, options),
    openAnswer(options, host),
  ])
  const kept = await openConversation(options.session, {
    ...{ home: io.homeDir, projectRoot: settings.projectRoot, cwd: host.cwd },
    onProblem: (problem) => warn(io, problem),
  })
  try {
    return await openOver(kept, { io, host, options, settings, tools, models, briefing, answer, askDriver })
  } catch (error) {
    kept.transcript.close()
    throw error
  }
}

interface SessionParts {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly options: PrintOptions
  readonly settings: LoadedSettings
  readonly tools: Tools
  readonly models: OpenedModels
  readonly briefing: Briefing
  readonly answer: StructuredAnswer | undefined
  readonly askDriver: AskPermission | undefined
}

/** The tools and the session over a conversation that is open. */
async function openOver({ transcript, resumed }: OpenedConversation, parts: SessionParts): Promise<AgentSession> {
  const { io, host, options, settings, models, briefing, answer } = parts
  const conversation = new Conversation(resumed?.messages ?? [], transcript.log)
  const promptTool = promptToolOf(options)
  const ask = parts.askDriver ?? promptTool?.ask
  let opened: PrintSession | undefined
  const toolSession = await openToolSession(io, host, {
    ...{ values: options.settings, settings, tools: parts.tools, isBare: options.isBare },
    ...(ask !== undefined && { askWith: () => ask }),
    onEvent: (event, source) => {
      transcript.onToolEvent(event, source)
      if (event.type === 'mode-entered' && source.agentId === undefined) opened?.onMode?.(event.mode)
    },
    conversation: {
      sessionId: transcript.sessionId,
      ...(transcript.path !== undefined && { transcriptPath: transcript.path }),
      ...(transcript.resultsFolder !== undefined && { resultsDirectory: transcript.resultsFolder }),
      model: models.model.id,
      skills: () => briefing.skills,
      userRequest: () => userRequestOf(conversation),
      ...(answer !== undefined && { mcpTools: () => answer.tools }),
    },
  })
  const { runtime } = toolSession
  try {
    const servers = await awaitServers(io, toolSession)
    await promptTool?.open(runtime)
    if (resumed !== undefined) await takeOver(resumed, runtime, options)
    const { id: model } = models.model
    const surroundings = surroundingsOf(parts, { model, isHeadless: ask === undefined, before: resumed?.state })
    transcript.track({
      readFiles: runtime.readFiles,
      appState: () => runtime.state.port.getAppState(),
      facts: () => ({ cwd: runtime.cwd, mode: runtime.permissions.mode, surroundings }),
    })
    if (resumed?.notice !== undefined) warn(io, resumed.notice)
    const session = new Session({
      ...{ runtime, conversation, ...models, ...thinkingOf(settings), ...limitsOf(options, settings) },
      system: systemPrompt(surroundings, { custom: options.systemPrompt, append: options.appendSystemPrompt }),
      conversationId: transcript.sessionId,
      source: resumed === undefined ? 'startup' : 'resume',
      ...(answer !== undefined && { beforeEnd: () => answer.beforeEnd() }),
    })
    opened = new PrintSession({ session, toolSession, transcript, briefing, io, servers, answer })
    return opened
  } catch (error) {
    await toolSession.dispose()
    throw error
  }
}

function chosenTools({ tools }: PrintOptions): Tools {
  try {
    return chooseTools(builtInTools, tools)
  } catch (error) {
    throw error instanceof UnknownToolChoiceError ? asUsageError(error) : error
  }
}

/** Nothing of it is loaded where no form is asked for. */
async function openAnswer({ jsonSchema }: PrintOptions, { cwd }: CommandHost): Promise<StructuredAnswer | undefined> {
  if (jsonSchema === undefined) return undefined
  const { StructuredAnswer } = await import('./structured-answer.js')
  return StructuredAnswer.open(jsonSchema, cwd)
}

function promptToolOf({ permissionPromptTool: name }: PrintOptions): PermissionPromptTool | undefined {
  return name === undefined || name === 'stdio' ? undefined : new PermissionPromptTool(name)
}

function limitsOf({ maxTurns, maxBudgetUsd }: PrintOptions, settings: LoadedSettings) {
  const turns = maxTurns ?? settings.maxTurns
  return { ...(turns !== undefined && { maxTurns: turns }), ...(maxBudgetUsd !== undefined && { maxBudgetUsd }) }
}
