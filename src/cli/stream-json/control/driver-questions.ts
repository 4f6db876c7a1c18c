import type {
  AskPermission,
  NoUserAvailable,
  PermissionAnswer,
  PermissionQuestion,
} from '../../../calls/call-environment.js'
import type { Answer, AskPort, ElicitationAnswer } from '../../../contract/ports/ask.js'
import { isRecord } from '../../../shared/is-record.js'
import { waitUnlessAborted } from '../../../shared/waiting.js'
import { builtInTools } from '../../../tools/index.js'
import { getAnswerSchemas, type QuestionAnswers } from '../schema/answer-schemas.js'
import type { OutputBody } from '../schema/output-schema.js'
import type { ControlChannel, ProgramRequest } from './control-channel.js'
import { fromProgramUpdate, toProgramUpdate } from './permission-updates.js'

type DriverAnswer = PermissionAnswer | NoUserAvailable

interface DriverQuestionsOptions {
  readonly channel: ControlChannel
  readonly write: (body: OutputBody) => Promise<void>
  /** Resolves when the current message of the agent has been written. */
  readonly waitForMessage: (agentId: string | undefined) => Promise<void>
  readonly interrupt: () => void
  /** Whether a line precedes each permission question. */
  readonly hasEvents: boolean
  /** Whether questions of the model are sent in the way of the Agent SDK: as a permission question. */
  readonly asksLikeAgentSdk: boolean
}

/** Sends questions about permissions, from the model and from MCP servers to the driving program. */
export class DriverQuestions {
  readonly #options: DriverQuestionsOptions

  constructor(options: DriverQuestionsOptions) {
    this.#options = options
  }

  readonly ask: AskPermission = async (question): Promise<DriverAnswer> => {
    const { channel, write, waitForMessage, hasEvents } = this.#options
    await waitUnlessAborted(waitForMessage(question.agent?.id), question.signal)
    if (question.signal.aborted) return { behavior: 'deny' }
    if (hasEvents) await write(toAskedLine(question))
    const answer = await channel.request(toPermissionRequest(question), readPermission, question.signal)
    switch (answer.type) {
      case 'answered':
        // The question is answered first, because an interruption withdraws open questions.
        if (answer.value.shouldInterrupt) this.#options.interrupt()
        return answer.value.answer
      case 'failed':
        return { behavior: 'deny', message: answer.message }
      case 'cancelled':
        return { behavior: 'deny' }
      case 'closed':
        return { behavior: 'unavailable' }
    }
  }

  readonly askPort: AskPort = {
    canAsk: true,
    askQuestions: async (questions, { signal } = {}) => {
      const copies = questions.map(({ options, ...question }) => ({ ...question, options: [...options] }))
      const { channel, asksLikeAgentSdk } = this.#options
      const request: ProgramRequest = asksLikeAgentSdk
        ? {
            subtype: 'can_use_tool',
            tool_name: QUESTION_TOOL,
            input: { questions: copies },
            requires_user_interaction: true,
          }
        : { subtype: 'ask_user_question', questions: copies }
      const answer = await channel.request(request, asksLikeAgentSdk ? readChosenLabels : readAnswers, signal)
      return answer.type === 'answered' ? answer.value : undefined
    },
    handleElicitation: (...args) => handleElicitation(this.#options.channel, ...args),
  }
}

/** The tool that asks the user on behalf of the model. */
const QUESTION_TOOL = builtInTools.find(({ needs }) => needs?.includes('ask') === true)?.name ?? ''

/** For a driving program that answers forms of MCP servers, but no permission questions. */
export function createElicitationPort(channel: ControlChannel): AskPort {
  return {
    canAsk: false,
    askQuestions: async () => undefined,
    handleElicitation: (...args) => handleElicitation(channel, ...args),
  }
}

async function handleElicitation(
  channel: ControlChannel,
  ...[{ serverName, message, schema, url }, { signal } = {}]: Parameters<AskPort['handleElicitation']>
): Promise<ElicitationAnswer> {
  const form = { ...(schema !== undefined && { requested_schema: schema }), ...(url !== undefined && { url }) }
  const mode = url === undefined ? 'form' : 'url'
  const answer = await channel.request(
    { subtype: 'elicitation', mcp_server_name: serverName, message, mode, ...form },
    readElicitation,
    signal,
  )
  if (answer.type === 'answered') return answer.value
  return { action: answer.type === 'cancelled' ? 'cancel' : 'decline' }
}

function readElicitation(response: unknown): { readonly value: ElicitationAnswer } | undefined {
  const { data } = getAnswerSchemas().elicitation.safeParse(response)
  if (data === undefined) return undefined
  const { action, content } = data
  return { value: action === 'accept' ? { action, ...(content != null && { content }) } : { action } }
}

function readAnswers(response: unknown): { readonly value: readonly Answer[] | undefined } | undefined {
  const { data } = getAnswerSchemas().answers.safeParse(response)
  return data && { value: data.answers?.map(toAnswer) }
}

function toAnswer({ question, chosen, other }: QuestionAnswers[number]): Answer {
  return { question, chosen, ...(other !== undefined && { other }) }
}

/** Reads the answers as the Agent SDK sends them: in the changed input of the call, one text for each question. */
function readChosenLabels(response: unknown): { readonly value: readonly Answer[] | undefined } | undefined {
  const { data } = getAnswerSchemas().permission.safeParse(response)
  if (data === undefined) return undefined
  const answers = data.behavior === 'allow' ? data.updatedInput?.answers : undefined
  if (!isRecord(answers)) return { value: undefined }
  return {
    value: Object.entries(answers).flatMap(([question, label]) =>
      typeof label === 'string' ? [{ question, chosen: label.split(', ') }] : [],
    ),
  }
}

function toAskedLine({ tool, toolUseId, message, agent }: PermissionQuestion): OutputBody {
  const call = { tool_use_id: toolUseId, tool_name: tool.name, ...(agent !== undefined && { agent_id: agent.id }) }
  return { type: 'system', subtype: 'permission_asked', ...call, message }
}

function toPermissionRequest(question: PermissionQuestion): ProgramRequest {
  const { tool, toolUseId, input, message, reason, preview, suggestions, agent } = question
  return {
    ...({ subtype: 'can_use_tool', tool_name: tool.name, tool_use_id: toolUseId, input, message } as const),
    ...{ title: message, decision_reason: reason.text, permission_suggestions: suggestions.map(toProgramUpdate) },
    ...(agent !== undefined && { agent_id: agent.id }),
    ...{ is_destructive: question.isDestructive, requires_user_interaction: question.requiresUser },
    ...(question.description !== undefined && { description: question.description }),
    ...(preview !== undefined && { preview }),
  }
}

interface PermissionReply {
  readonly answer: PermissionAnswer
  readonly shouldInterrupt: boolean
}

function readPermission(response: unknown): { readonly value: PermissionReply } | undefined {
  const { data } = getAnswerSchemas().permission.safeParse(response)
  if (data === undefined) return undefined
  if (data.behavior === 'deny') {
    const answer = { behavior: 'deny', ...(data.message != null && { message: data.message }) } as const
    return { value: { answer, shouldInterrupt: data.interrupt === true } }
  }
  const { updatedInput, updatedPermissions } = data
  const answer: PermissionAnswer = {
    behavior: 'allow',
    ...(updatedInput != null && { updatedInput }),
    ...(updatedPermissions != null && { updates: updatedPermissions.map(fromProgramUpdate) }),
  }
  return { value: { answer, shouldInterrupt: false } }
}
