import { appendFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ToolEvent } from '../../contract/events.js'
import { createModelClassifier } from '../../permissions/auto-mode/model-classifier.js'
import type { DecisionPorts } from '../../permissions/decide/decision-request.js'
import type { EventOrigin } from '../../runtime/options.js'
import { createAgents } from '../../session/agents/create-agents.js'
import { announceContext } from '../../session/announce-context.js'
import { createContextKeeper } from '../../session/context/create-context-keeper.js'
import { createHistoryPort } from '../../session/context/create-history-port.js'
import { createSystemPrompt } from '../../session/context/system-prompt.js'
import { userRequestOf } from '../../session/messages/user-request-of.js'
import { createModelPort } from '../../session/model-port.js'
import { openToolSession, type ToolSession } from '../tool-session/open-tool-session.js'
import type { SessionParts } from './agent-session.js'
import { openNamedModel, thinkingOf } from './open-models.js'

/** Longer than for local rules, because a model needs more time and a timeout would end the run. */
const MODEL_CLASSIFIER_TIMEOUT_MS = 60_000

/** Opens the tools of a session, with its settings, folders, models and sub-agents. */
export function openTools(parts: SessionParts): Promise<ToolSession> {
  const {
    io,
    host,
    options,
    settings,
    tools,
    models,
    projectContext,
    answer,
    ask,
    askPort,
    editorFiles,
    openedConversation,
    conversation,
    notices,
  } = parts
  const { transcript } = openedConversation
  const agents = createSessionAgents(parts)
  const modelPort = createSmallModelPort(parts)
  return openToolSession(io, host, {
    ...{ values: options.settings, settings, tools, isBare: options.isBare, modelPort },
    onUsage: (usage, model) => parts.spending.addRequest(usage, model),
    ...(ask !== undefined && { askWith: () => ask }),
    ...(askPort !== undefined && { askPort }),
    ...(parts.record !== undefined && { schedulePort: parts.record.schedule }),
    onEvent: (event, source) => onToolEvent(event, source, parts),
    ...(!options.isPrintMode && {
      showInTerminal: (notification) => parts.sessionHolder.session?.onNotification?.(notification),
    }),
    historyPort: createHistoryPort(() => parts.sessionHolder.session?.session),
    showsHookMessages: options.output === 'stream-json' || !options.isPrintMode,
    programHooks: parts.additions.hooks,
    programServers: parts.additions.servers,
    acceptsServers: options.input === 'stream-json',
    runtimeOptions: {
      ...(editorFiles !== undefined && { machine: { editorFiles } }),
      ...(parts.record !== undefined && { waitUntilRecorded: parts.record.waitUntilRecorded }),
      conversation: {
        sessionId: transcript.sessionId,
        ...(transcript.path !== undefined && { transcriptPath: transcript.path }),
        model: models.model.id,
        ...thinkingOf(settings, options),
        skills: () => projectContext.skills,
        userRequest: () => userRequestOf(conversation),
        agentDefinitions: projectContext.kinds,
        agentPorts: (runtime) => ({ agents: agents(runtime) }),
        onTaskEnded: notices.taskEnded,
        onTaskReported: notices.taskReported,
        onHooksRunning: (hooks) => parts.sessionHolder.session?.onHooksRunning?.(hooks),
        hookPorts: { askModel: modelPort.complete },
      },
      schedule: createScheduleOptions(parts),
      telemetry: { timer: transcript.timer },
      storage: {
        ...(parts.record !== undefined && createStorage(parts.record.home)),
        ...(transcript.resultsFolder !== undefined && { resultsDirectory: transcript.resultsFolder }),
      },
      ...(settings.autoClassifier === 'model' && { policy: { decisionPorts: createModelClassifierPorts(parts) } }),
      ...(answer !== undefined && { mcpTools: () => answer.tools }),
    },
  })
}

/** Returns the folders of a session whose files are not in the home of the user. */
function createStorage(home: string) {
  return {
    checkpointsDirectory: join(home, '.haft', 'checkpoints'),
    taskBoardDirectory: join(home, '.haft', 'tasks'),
    teamsDirectory: join(home, '.haft', 'teams'),
  }
}

/** Returns the options of the schedule. A single prompt ends with its answer, so nothing in it can run later. */
function createScheduleOptions({ options, notices }: SessionParts) {
  const isKept = !options.isPrintMode || options.input === 'stream-json'
  return {
    startsDurableRuns: !options.isPrintMode,
    ...(isKept && { onDue: notices.promptDue }),
  }
}

/** Creates a port for the small model of the settings, or for the main model if there is none. */
function createSmallModelPort({ io, settings, models, sessionHolder, spending }: SessionParts) {
  return createModelPort({
    async openModel(name = settings.smallModel) {
      return name === undefined
        ? (sessionHolder.session?.model ?? models.model)
        : await openNamedModel(name, settings, io)
    },
    onUsage: (usage, model) => spending.addRequest(usage, model),
  })
}

/** Creates the ports of the classifier. Ignores model settings of the project, which must not choose its own classifier. */
function createModelClassifierPorts({
  io,
  settings,
  options,
  models,
  sessionHolder,
  spending,
}: SessionParts): Partial<DecisionPorts> {
  const { ownModels } = settings
  const { complete } = createModelPort({
    async openModel() {
      const { smallModel } = ownModels
      if (smallModel === undefined && !isChosenByProject(settings, options))
        return sessionHolder.session?.model ?? models.model
      return await openNamedModel(smallModel ?? options.model, ownModels, io)
    },
    onUsage: (usage, model) => spending.addRequest(usage, model),
  })
  return { classifier: createModelClassifier(complete), classifierTimeoutMs: MODEL_CLASSIFIER_TIMEOUT_MS }
}

/** Whether project settings may have changed the main model. */
function isChosenByProject(
  { ownModels, ...settings }: SessionParts['settings'],
  options: SessionParts['options'],
): boolean {
  const isModelFromProject = options.model === undefined && settings.model !== ownModels.model
  return (
    isModelFromProject ||
    Object.entries(settings.providers).some(([name, entry]) => ownModels.providers[name] !== entry)
  )
}

function onToolEvent(event: ToolEvent, source: EventOrigin, parts: SessionParts): void {
  const { openedConversation, sessionHolder, options, io, host } = parts
  if (options.debug !== undefined) writeDebugLine(event, options.debug, { io, host })
  openedConversation.transcript.onToolEvent(event, source)
  if (event.type === 'mode-entered' && source.agentId === undefined) sessionHolder.session?.onMode?.(event.mode)
}

/** Writes which event happened to which call, for `--debug`. Inputs and results are in the transcript. */
function writeDebugLine(
  event: ToolEvent,
  target: NonNullable<SessionParts['options']['debug']>,
  { io, host }: Pick<SessionParts, 'io' | 'host'>,
): void {
  const { type, at } = event
  const line = `${JSON.stringify({ at, type, ...('toolUseId' in event && { toolUseId: event.toolUseId }) })}\n`
  if (target === 'stderr') io.err(line)
  else appendFileSync(resolve(host.cwd, target.file), line, { mode: 0o600 })
}

function createSessionAgents({
  io,
  settings,
  models,
  projectContext,
  openedConversation,
  options,
  environmentFacts,
  spending,
  sessionHolder,
}: SessionParts) {
  const { fallbackModel } = models
  const prompt = { custom: options.systemPrompt, append: options.appendSystemPrompt }
  return createAgents({
    kinds: () => projectContext.kinds,
    main: () => ({
      model: sessionHolder.session?.model ?? models.model,
      system: createSystemPrompt(environmentFacts, prompt),
      conversationId: openedConversation.transcript.sessionId,
      ...{ spending, maxBudgetUsd: options.maxBudgetUsd },
      ...thinkingOf(settings, options),
    }),
    // The name comes from the model or from project files, so it must not load a script or a recording.
    openModel: (name) => openNamedModel(name, settings, io, { isServed: true }),
    system: ({ cwd, model }, agentPrompt) =>
      createSystemPrompt({ ...environmentFacts, cwd, model: model.id, isSubAgent: true }, agentPrompt),
    announce: (runtime) =>
      announceContext(runtime, { instructions: projectContext.instructions, skills: () => projectContext.skills }),
    query: {
      ...thinkingOf(settings, options),
      ...(fallbackModel !== undefined && { fallbackModel }),
      ...(settings.autoCompact !== false && { context: createContextKeeper() }),
    },
    transcripts: openedConversation.transcript,
    onEvent: (event, agent) => sessionHolder.session?.onAgentEvent?.(event, agent),
  })
}
