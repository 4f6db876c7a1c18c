import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationResponse,
  ElicitationSchema,
} from '@agentclientprotocol/sdk'
import type { Answer, AskPort, Elicitation, ElicitationAnswer, Question } from '../contract/ports/ask.js'
import { isRecord } from '../shared/is-record.js'

type Content = Readonly<Record<string, unknown>>

/** Asks the questions of the model and of MCP servers with the forms of the editor. Without forms, nobody can be asked. */
export function createEditorAskPort(
  client: AgentContext,
  capabilities: ClientCapabilities,
  sessionId: () => string,
): AskPort {
  const hasForms = capabilities.elicitation?.form != null
  const hasPages = capabilities.elicitation?.url != null
  const send = async (
    params: { readonly message: string } & Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<ElicitationAnswer> => {
    try {
      const response: CreateElicitationResponse = await client.request(
        'elicitation/create',
        { sessionId: sessionId(), ...params },
        signal === undefined ? {} : { cancellationSignal: signal },
      )
      return toElicitationAnswer(response)
    } catch {
      // The editor has closed the connection, or the question was withdrawn.
      return { action: 'cancel' }
    }
  }
  return {
    canAsk: hasForms,
    async askQuestions(questions, { signal } = {}) {
      if (!hasForms) return undefined
      const message = questions.map(({ question }) => question).join('\n')
      const answer = await send({ mode: 'form', message, requestedSchema: toSchema(questions) }, signal)
      return answer.action === 'accept' ? readAnswers(questions, answer.content ?? {}) : undefined
    },
    async handleElicitation({ serverName, message, schema, url }: Elicitation, { signal } = {}) {
      const text = `${serverName}: ${message}`
      if (url !== undefined)
        return hasPages ? send({ mode: 'url', message: text, url, elicitationId: url }, signal) : { action: 'decline' }
      if (!hasForms) return { action: 'decline' }
      return send(
        { mode: 'form', message: text, requestedSchema: schema ?? { type: 'object', properties: {} } },
        signal,
      )
    },
  }
}

/** Each question is a choice, and a text for any other answer. */
function toSchema(questions: readonly Question[]): ElicitationSchema {
  const properties = questions.flatMap(({ question, header, options, multiSelect }, index) => {
    const choices = options.map(({ label, description }) => ({ const: label, title: `${label}: ${description}` }))
    const choice = multiSelect
      ? { type: 'array' as const, title: header, description: question, items: { anyOf: choices } }
      : { type: 'string' as const, title: header, description: question, oneOf: choices }
    const other = { type: 'string' as const, title: `${header}: another answer` }
    return [
      [`choice${index}`, choice],
      [`other${index}`, other],
    ] as const
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function readAnswers(questions: readonly Question[], content: Content): readonly Answer[] {
  return questions.map(({ question }, index) => {
    const choice = content[`choice${index}`]
    const other = content[`other${index}`]
    const chosen = Array.isArray(choice) ? choice : [choice]
    return {
      question,
      chosen: chosen.filter((label) => typeof label === 'string' && label !== ''),
      ...(typeof other === 'string' && other !== '' && { other }),
    }
  })
}

function toElicitationAnswer(response: CreateElicitationResponse): ElicitationAnswer {
  if (response.action === 'accept') {
    const content = 'content' in response && isRecord(response.content) ? response.content : undefined
    return { action: 'accept', ...(content !== undefined && { content }) }
  }
  return { action: response.action === 'decline' ? 'decline' : 'cancel' }
}
