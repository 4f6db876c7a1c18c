import type { ToolEvent } from '../../../../contract/events.js'
import { createModelClassifier } from '../../../../permissions/auto-mode/model-classifier.js'
import type { DecisionPorts } from '../../../../permissions/decide/decision-request.js'
import type { EventSource } from '../../../../runtime/runtime-options.js'
import { createAgents } from '../../../../session/agents/create-agents.js'
import { announceSurroundings } from '../../../../session/announce-surroundings.js'
import { createContextKeeper } from '../../../../session/context/create-context-keeper.js'
import { systemPrompt } from '../../../../session/context/system-prompt.js'
import { userRequestOf } from '../../../../session/messages/user-request-of.js'
import { createModelPort } from '../../../../session/model-port.js'
import { openToolSession, type ToolSession } from '../../../tool-session/open-tool-session.js'
import type { SessionParts } from './agent-session.js'
import { openNamedModel, thinkingOf } from './open-models.js'

/** A model takes longer than rules, and one that is not waited for ends the run. */
const MODEL_CLASSIFIER_TIMEOUT_MS = 60_000

/** The tools of a conversation: under its settings, with its files, and with sub-agents that ask the same models. */
export function openTools(parts: SessionParts): Promise<ToolSession> {
  const { io, host, options, settings, tools, models, briefing, answer, ask, kept, conversation, notices } = parts
  const { transcript } = kept
  const agents = agentsOf(parts)
  const modelPort = smallQuestions(parts)
  return openToolSession(io, host, {
    ...{ values: options.settings, settings, tools, isBare: options.isBare, modelPort },
    ...(ask !== undefined && { askWith: () => ask }),
    onEvent: (event, source) => heard(event, source, parts),
    hearsHooks: options.output === 'stream-json',
    conversation: {
      sessionId: transcript.sessionId,
      ...(transcript.path !== undefined && { transcriptPath: transcript.path }),
      ...(transcript.resultsFolder !== undefined && { resultsDirectory: transcript.resultsFolder }),
      model: models.model.id,
      skills: () => briefing.skills,
      userRequest: () => userRequestOf(conversation),
      agentDefinitions: briefing.kinds,
      agentPorts: (runtime) => ({ agents: agents(runtime) }),
      onTaskEnded: notices.taskEnded,
      hookPorts: { askModel: modelPort.complete },
      ...(settings.autoClassifier === 'model' && { decisionPorts: byModel(parts) }),
      ...(answer !== undefined && { mcpTools: () => answer.tools }),
    },
  })
}

/** To the small model where the settings name one, else to the one that answers. */
function smallQuestions({ io, settings, models, opened, spending }: SessionParts) {
  return createModelPort({
    async openModel(name = settings.smallModel) {
      return name === undefined
        ? (opened.session?.model ?? models.model)
        : await openNamedModel(name, settings, io.variables)
    },
    onUsage: (usage, model) => spending.addRequest(usage, model),
  })
}

/** Who judges is asked as if the project had said nothing of models: it must not choose its own judge. */
function byModel({ io, settings, options, models, opened, spending }: SessionParts): Partial<DecisionPorts> {
  const { ownModels } = settings
  const { complete } = createModelPort({
    async openModel() {
      const { smallModel } = ownModels
      if (smallModel === undefined && !isChosenByProject(settings, options))
        return opened.session?.model ?? models.model
      return await openNamedModel(smallModel ?? options.model, ownModels, io.variables)
    },
    onUsage: (usage, model) => spending.addRequest(usage, model),
  })
  return { classifier: createModelClassifier(complete), classifierTimeoutMs: MODEL_CLASSIFIER_TIMEOUT_MS }
}

/** Whether the model that answers is, or may be, another than it would be without the project. */
function isChosenByProject(
  { ownModels, ...settings }: SessionParts['settings'],
  options: SessionParts['options'],
): boolean {
  const isNamed = options.model === undefined && settings.model !== ownModels.model
  return isNamed || Object.entries(settings.providers).some(([name, entry]) => ownModels.providers[name] !== entry)
}

function heard(event: ToolEvent, source: EventSource, { kept, opened }: SessionParts): void {
  kept.transcript.onToolEvent(event, source)
  if (event.type === 'mode-entered' && source.agentId === undefined) opened.session?.onMode?.(event.mode)
}

function agentsOf({ io, settings, models, briefing, kept, options, surroundings, spending, opened }: SessionParts) {
  const { fallbackModel } = models
  const prompt = { custom: options.systemPrompt, append: options.appendSystemPrompt }
  return createAgents({
    kinds: () => briefing.kinds,
    main: () => ({
      model: opened.session?.model ?? models.model,
      system: systemPrompt(surroundings, prompt),
      conversationId: kept.transcript.sessionId,
      ...{ spending, maxBudgetUsd: options.maxBudgetUsd },
      ...thinkingOf(settings),
    }),
    // The model itself chooses this name, and files of the project do.
    openModel: (name) => openNamedModel(name, settings, io.variables, { served: true }),
    system: ({ cwd, model }, own) => systemPrompt({ ...surroundings, cwd, model: model.id, isHeadless: true }, own),
    announce: (runtime) =>
      announceSurroundings(runtime, { instructions: briefing.instructions, skills: () => briefing.skills }),
    query: {
      ...thinkingOf(settings),
      ...(fallbackModel !== undefined && { fallbackModel }),
      ...(settings.autoCompact !== false && { context: createContextKeeper() }),
    },
    transcripts: kept.transcript,
    onEvent: (event, agent) => opened.session?.onAgentEvent?.(event, agent),
  })
}
