import { resolve } from 'node:path'
import { chooseTools, UnknownToolChoiceError } from '../../assembly/choose-tools.js'
import type { AskPermission } from '../../calls/call-environment.js'
import type { EditorFiles } from '../../contract/host/editor-files.js'
import { isSameAgentKind } from '../../contract/ports/agents.js'
import type { AskPort } from '../../contract/ports/ask.js'
import type { EditFormat } from '../../contract/tool/identity.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import { announceContext } from '../../session/announce-context.js'
import { createContextKeeper } from '../../session/context/create-context-keeper.js'
import { createSystemPrompt } from '../../session/context/system-prompt.js'
import { Conversation } from '../../session/conversation/conversation.js'
import { PendingNotices } from '../../session/conversation/pending-notices.js'
import { Spending } from '../../session/conversation/spending.js'
import { Session } from '../../session/session.js'
import { trackRuntime } from '../../session/transcript/resume/carry-state.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { builtInTools } from '../../tools/index.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { asUsageError } from '../io/exit.js'
import { warn } from '../io/warn.js'
import type { AgentOptions } from '../options/agent-options.js'
import { openTranscriptMasker } from '../tool-session/key-variables.js'
import { loadCommandSettings } from '../tool-session/load-command-settings.js'
import { awaitServers } from '../tool-session/server-startup.js'
import type { ProgramAdditions, SessionParts, SessionRecord } from './agent-session.js'
import { loadProjectContext, type ProjectContext } from './load-project-context.js'
import { collectEnvironmentFacts, openConversation, restoreSession } from './open-conversation.js'
import { type OpenedModels, openModels, thinkingOf } from './open-models.js'
import { openTools } from './open-tools.js'
import { OpenedSession } from './opened-session.js'
import { PermissionPromptTool } from './permission-prompt-tool.js'
import type { StructuredAnswer } from './structured-answer.js'
import { watchConfig } from './watch-config.js'
import { watchFiles } from './watch-files.js'

/** How the questions of a session are answered. By default there is no user to ask. */
export interface SessionUser {
  readonly ask?: AskPermission | undefined
  /** Creates `ask` when the settings are loaded. */
  readonly askWith?: ((settings: LoadedSettings) => AskPermission) | undefined
  readonly askPort?: AskPort | undefined
  /** The files of the user's editor, which may have unsaved changes. */
  readonly editorFiles?: EditorFiles | undefined
  /** What the program adds that drives the session. */
  readonly additions?: ProgramAdditions | undefined
}

/** Opens a session: loads settings, model and transcript, then creates tools and session. */
export async function openAgentSession(
  io: CommandIo,
  host: CommandHost,
  options: AgentOptions,
  user: SessionUser = {},
  record?: SessionRecord,
): Promise<OpenedSession> {
  const { additions = {} } = user
  const { tools: ownTools = [] } = additions
  const knownTools = [...builtInTools, ...ownTools]
  const settings = await loadCommandSettings(io, host, { values: options.settings, tools: knownTools })
  const [models, ownContext, answer] = await Promise.all([
    openModels(options, settings, io, additions.model).then((models) => recordIfRequested(models, options, io, host)),
    loadProjectContext(io, host, settings, options),
    openAnswer(options, host),
  ])
  const projectContext = addToContext(ownContext, additions)
  const openedConversation = await openConversation(options.session, {
    ...{ home: record?.home ?? io.homeDir, projectRoot: settings.projectRoot, cwd: host.cwd, isSaved: options.isSaved },
    onLine: record?.onLine,
    onProblem: (problem) => warn(io, problem),
    isDurable: settings.fsync === true,
    secrets: openTranscriptMasker(io, settings),
  })
  const sessionHolder: SessionParts['sessionHolder'] = {}
  const promptTool = createPromptTool(options, () => sessionHolder.session?.interrupt())
  const ask = user.ask ?? user.askWith?.(settings) ?? promptTool?.ask
  const { transcript, resumedSession } = openedConversation
  const builtIns = selectTools(options, {
    ...{ canAsk: ask !== undefined, canAnswer: user.askPort?.canAsk === true },
    isPlanMode: settings.permissionContext.mode === 'plan',
    ...{ hasSkills: projectContext.skills.length > 0, editFormat: models.model.facts.editFormat },
  })
  const tools = [...builtIns, ...ownTools]
  const start = { model: models.model.id, isHeadless: ask === undefined, savedState: resumedSession?.state }
  const parts: SessionParts = {
    ...{ io, host, options, settings, tools, models, projectContext, answer, ask, openedConversation },
    askPort: user.askPort,
    editorFiles: user.editorFiles,
    additions,
    record,
    conversation: new Conversation(resumedSession?.messages ?? [], transcript.log),
    environmentFacts: await collectEnvironmentFacts({ io, host, settings }, start),
    spending: new Spending(),
    notices: new PendingNotices(),
    sessionHolder,
  }
  try {
    return await openWithTools(parts, promptTool)
  } catch (error) {
    transcript.close()
    throw error
  }
}

async function openWithTools(
  parts: SessionParts,
  promptTool: PermissionPromptTool | undefined,
): Promise<OpenedSession> {
  const { io, host, options, settings, openedConversation, environmentFacts, sessionHolder, notices } = parts
  const { transcript, resumedSession } = openedConversation
  const toolSession = await openTools(parts)
  const { runtime } = toolSession
  try {
    const servers = await awaitServers(io, toolSession, host.interruption())
    if (parts.additions.title !== undefined && resumedSession === undefined) transcript.setTitle(parts.additions.title)
    await promptTool?.open(runtime)
    const problem = resumedSession && (await restoreSession(resumedSession, runtime, options))
    if (problem !== undefined) {
      warn(io, problem)
      notices.addText(problem)
    }
    if (resumedSession?.notice !== undefined) warn(io, resumedSession.notice)
    const teamNotice = resumedSession && (await describeEndedTeammates(runtime))
    if (teamNotice !== undefined) notices.addText(teamNotice)
    trackRuntime(transcript, runtime, { surroundings: environmentFacts })
    const session = openSession(parts, runtime)
    const onWarning = (text: string) => warn(io, text)
    const settingsWatch = await watchConfig({ session, settings, home: host.homeDir, onWarning })
    const fileWatch = await watchFiles({ session, cwd: host.cwd, onWarning })
    const openedSession = new OpenedSession({ session, toolSession, servers, settingsWatch, fileWatch, ...parts })
    sessionHolder.session = openedSession
    return openedSession
  } catch (error) {
    await toolSession.dispose()
    throw error
  }
}

/** Adds the agents of a driving program, which replace others of the same name, and selects skills. */
function addToContext(context: ProjectContext, { kinds = [], skills }: ProgramAdditions): ProjectContext {
  const keptKinds = context.kinds.filter(({ name }) => !kinds.some((kind) => isSameAgentKind(kind.name, name)))
  return {
    ...context,
    kinds: [...keptKinds, ...kinds],
    ...(skills !== undefined && { skills: context.skills.filter(({ name }) => skills.includes(name)) }),
  }
}

/** Returns a notice for the model if teammates of a resumed session ended with its earlier process. */
async function describeEndedTeammates({ teams }: HaftRuntime): Promise<string | undefined> {
  // A team that cannot be read is reported by the next call of a tool.
  const team = await teams?.current().catch(() => undefined)
  const ended = team?.members.filter(({ status, agentId }) => status === 'away' && agentId !== undefined) ?? []
  if (team === undefined || ended.length === 0) return undefined
  const names = ended.map(({ name }) => name).join(', ')
  return `These teammates of the team "${team.name}" ended with the earlier process: ${names}. Start those that you need again with Agent and the same name: they get the messages that wait for them, but do not remember their earlier work.`
}

function openSession(parts: SessionParts, runtime: HaftRuntime): Session {
  const {
    options,
    settings,
    models,
    projectContext,
    answer,
    openedConversation,
    conversation,
    environmentFacts,
    spending,
    notices,
  } = parts
  return new Session({
    ...{
      runtime,
      conversation,
      spending,
      notices,
      ...models,
      ...thinkingOf(settings, options),
      ...limitsOf(options, settings),
    },
    system: createSystemPrompt(environmentFacts, { custom: options.systemPrompt, append: options.appendSystemPrompt }),
    conversationId: openedConversation.transcript.sessionId,
    instructionFiles: projectContext.instructions,
    source: openedConversation.resumedSession === undefined ? 'startup' : 'resume',
    setup: options.setup,
    // A session with further prompts gets results of background agents later; a single prompt has to wait for them.
    waitsForAgents: options.isPrintMode && options.input === 'text',
    announce: announceContext(runtime, { ...projectContext, skills: () => projectContext.skills }),
    ...(answer !== undefined && { beforeEnd: (_, emit) => answer.beforeEnd(emit) }),
    ...(settings.autoCompact !== false && {
      context: createContextKeeper({ state: () => runtime.state.port.getAppState() }),
    }),
  })
}

/** What decides which tools of a session work. */
interface ToolConditions {
  /** Whether somebody approves calls. */
  readonly canAsk: boolean
  /** Whether somebody answers questions of tools. */
  readonly canAnswer: boolean
  /** In plan mode, the plan is printed if nobody can approve it. */
  readonly isPlanMode: boolean
  readonly hasSkills: boolean
  readonly editFormat?: EditFormat | undefined
}

/** Returns the tools that work in this session: a tool that cannot work costs tokens, and the model a turn. */
function selectTools({ tools: choice }: AgentOptions, conditions: ToolConditions): Tools {
  const { canAsk, canAnswer, isPlanMode, hasSkills, editFormat = 'strings' } = conditions
  try {
    const chosenTools = chooseTools(builtInTools, choice).filter(
      (tool) =>
        (canAnswer || tool.needs?.includes('ask') !== true) &&
        (canAsk ||
          canAnswer ||
          tool.requiresUserInteraction?.() !== true ||
          (isPlanMode && tool.submitsPlan === true)) &&
        (hasSkills || tool.loadsSkills !== true),
    )
    const namedTools = choice.split(',').map((name) => name.trim())
    return chosenTools.filter(
      ({ name, editFormat: ownFormat = editFormat }) => ownFormat === editFormat || namedTools.includes(name),
    )
  } catch (error) {
    throw error instanceof UnknownToolChoiceError ? asUsageError(error) : error
  }
}

/** Records the answers of a model if that is requested. The recorder is loaded only then. */
async function recordIfRequested(
  models: OpenedModels,
  { record }: AgentOptions,
  io: CommandIo,
  { cwd }: CommandHost,
): Promise<OpenedModels> {
  if (record === undefined) return models
  const { recordToFile } = await import('./record-to-file.js')
  return { ...models, model: recordToFile(models.model, resolve(cwd, record), (problem) => warn(io, problem)) }
}

/** Opens the structured answer if one is requested. Its code is loaded only then. */
async function openAnswer({ jsonSchema }: AgentOptions, { cwd }: CommandHost): Promise<StructuredAnswer | undefined> {
  if (jsonSchema === undefined) return undefined
  const { StructuredAnswer } = await import('./structured-answer.js')
  return StructuredAnswer.open(jsonSchema, cwd)
}

function createPromptTool(
  { permissionPromptTool: name }: AgentOptions,
  interrupt: () => void,
): PermissionPromptTool | undefined {
  return name === undefined || name === 'stdio' ? undefined : new PermissionPromptTool(name, interrupt)
}

function limitsOf({ maxTurns, maxBudgetUsd }: AgentOptions, settings: LoadedSettings) {
  const turns = maxTurns ?? settings.maxTurns
  return { ...(turns !== undefined && { maxTurns: turns }), ...(maxBudgetUsd !== undefined && { maxBudgetUsd }) }
}
