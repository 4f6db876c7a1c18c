import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseTools, UnknownToolChoiceError } from '../../../assembly/choose-tools.js'
import type { Tools } from '../../../contract/tool.js'
import type { AskPermission } from '../../../execution/execution-host.js'
import type { McpServers } from '../../../mcp/manager/create-mcp-servers.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { type Surroundings, systemPrompt } from '../../../session/context/system-prompt.js'
import { Conversation } from '../../../session/conversation.js'
import { userRequestOf } from '../../../session/messages/user-request-of.js'
import { Session } from '../../../session/session.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import { loadCommandSettings } from '../../load-command-settings.js'
import { namesServers } from '../../names-servers.js'
import { openToolSession, type ToolSession } from '../../open-tool-session.js'
import { tellServerFailures } from '../../tell-server-failures.js'
import { asUsageError } from '../../usage-error.js'
import { warn } from '../../warn.js'
import type { AgentSession } from './agent-session.js'
import { loadBriefing } from './load-briefing.js'
import { type OpenConversation, openConversation } from './open-conversation.js'
import { openModels, thinkingOf } from './open-models.js'
import { PermissionPromptTool } from './permission-prompt-tool.js'
import { PrintSession } from './print-session.js'
import type { PrintOptions } from './print-options.js'

/** How long the first request waits for MCP servers that are slow to come up. */
const SERVERS_MS = 30_000

/** Puts together what a prompt needs: settings, model, transcript, tools and the session over them. */
export async function openAgentSession(
  io: CommandIo,
  host: CommandHost,
  options: PrintOptions,
  askDriver?: AskPermission,
): Promise<AgentSession> {
  const tools = chosenTools(options)
  const settings = await loadCommandSettings(io, host, { values: options.settings, tools: builtInTools })
  const [models, briefing] = await Promise.all([
    openModels(options, settings, io.variables),
    loadBriefing(io, host, settings, options),
  ])
  const opened = await openConversation(options.session, {
    ...{ home: io.homeDir, projectRoot: settings.projectRoot, cwd: host.cwd },
    onProblem: (problem) => warn(io, problem),
  })
  const { transcript, resumed } = opened
  const conversation = new Conversation(resumed?.messages ?? [], transcript.log)
  const promptTool = promptToolOf(options)
  const ask = askDriver ?? promptTool?.ask
  try {
    const toolSession = await openToolSession(io, host, {
      ...{ values: options.settings, settings, tools, isBare: options.isBare },
      ...(ask !== undefined && { askWith: () => ask }),
      onEvent: transcript.onToolEvent,
      conversation: {
        sessionId: transcript.sessionId,
        ...(transcript.path !== undefined && { transcriptPath: transcript.path }),
        ...(transcript.resultsFolder !== undefined && { resultsDirectory: transcript.resultsFolder }),
        model: models.model.id,
        skills: () => briefing.skills,
        userRequest: () => userRequestOf(conversation),
      },
    })
    const { runtime } = toolSession
    let servers: McpServers | undefined
    try {
      await takeOver({ conversation, ...opened }, runtime, options)
      servers = await serversReady(io, toolSession)
      await promptTool?.open(runtime)
    } catch (error) {
      await toolSession.dispose()
      throw error
    }
    const surroundings = surroundingsOf(host, io, settings, {
      model: models.model.id,
      isHeadless: ask === undefined,
      before: resumed?.state.surroundings,
    })
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
    })
    return new PrintSession({ session, toolSession, transcript, briefing, io, servers })
  } catch (error) {
    transcript.close()
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

function promptToolOf({ permissionPromptTool: name }: PrintOptions): PermissionPromptTool | undefined {
  return name === undefined || name === 'stdio' ? undefined : new PermissionPromptTool(name)
}

/** What an earlier process left: the tools it had found, what it knew of files, todos and the like. */
async function takeOver(
  { conversation, resumed }: OpenConversation,
  runtime: HaftRuntime,
  { settings }: PrintOptions,
): Promise<void> {
  if (resumed === undefined) return
  runtime.restore(conversation.messages)
  runtime.state.port.setAppState((state) => ({ ...state, ...resumed.appState }))
  for (const [path, entry] of resumed.readFiles) runtime.readFiles?.set(path, entry)
  // Planning is kept up; a mode that allows more has to be asked for again.
  if (resumed.mode === 'plan' && settings['permission-mode'] === undefined)
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode: 'plan' }])
}

/** There is no second chance to be told of tools: the first answer may be the last. */
async function serversReady(io: CommandIo, toolSession: ToolSession): Promise<McpServers | undefined> {
  if (!namesServers(toolSession.settings)) return undefined
  const servers = await toolSession.runtime.mcp()
  const waiting = new AbortController()
  const late = sleep(SERVERS_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {})
  await Promise.race([servers?.settled(), late])
  waiting.abort()
  await tellServerFailures(io, toolSession)
  return servers
}

/** As they were at the beginning: every request of a session begins with the same bytes. */
function surroundingsOf(
  { cwd }: CommandHost,
  { platform }: CommandIo,
  { projectRoot }: LoadedSettings,
  { before, ...now }: { readonly model: string; readonly isHeadless: boolean; readonly before: unknown },
): Surroundings {
  const known = before as Surroundings | undefined
  const isGitRepository = existsSync(join(projectRoot, '.git'))
  const here: Surroundings = { cwd, platform, isGitRepository, date: today(), ...now }
  return known !== undefined && isSamePlace(known, here) ? known : here
}

function isSamePlace(before: Surroundings, now: Surroundings): boolean {
  const { date: _, ...place } = now
  return typeof before.date === 'string' && Object.entries(place).every(([key, value]) => before[key as 'cwd'] === value)
}

function today(): string {
  const now = new Date()
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

function limitsOf({ maxTurns, maxBudgetUsd }: PrintOptions, settings: LoadedSettings) {
  const turns = maxTurns ?? settings.maxTurns
  return { ...(turns !== undefined && { maxTurns: turns }), ...(maxBudgetUsd !== undefined && { maxBudgetUsd }) }
}
