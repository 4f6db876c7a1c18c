import { randomUUID } from 'node:crypto'
import type {
  AskPermission,
  NoUserAvailable,
  PermissionAnswer,
  PermissionQuestion,
} from '../../../calls/call-environment.js'
import type { PermissionUpdate } from '../../../contract/permission/result.js'
import type { Answer, AskPort, ElicitationAnswer } from '../../../contract/ports/ask.js'
import { waitUnlessAborted } from '../../../shared/waiting.js'
import type { ControlResponse } from '../schema/input-schema.js'
import type { OutputBody } from '../schema/output-schema.js'

type DriverAnswer = PermissionAnswer | NoUserAvailable

interface DriverQuestionsOptions {
  readonly write: (body: OutputBody) => Promise<void>
  /** Resolves when the current message of the agent has been written. */
  readonly waitForMessage: (agentId: string | undefined) => Promise<void>
  readonly interrupt: () => void
}

type Response = Extract<ControlResponse['response'], { subtype: 'success' }>['response']
type Request = Extract<OutputBody, { type: 'control_request' }>['request']

interface OpenQuestion {
  /** Handles an answer. Returns false if it belongs to another kind of question. */
  accept(response: Response): boolean
  refuse(message: string): void
  /** Ends the question without an answer. `isClosed`: the driving program has closed its input. */
  cancel(isClosed: boolean): void
}

/** Sends questions about permissions, from the model and from MCP servers to the driving program. */
export class DriverQuestions {
  readonly #options: DriverQuestionsOptions
  readonly #openQuestions = new Map<string, OpenQuestion>()
  #isClosed = false

  constructor(options: DriverQuestionsOptions) {
    this.#options = options
  }

  readonly ask: AskPermission = async (question) => {
    const { write, waitForMessage } = this.#options
    await waitUnlessAborted(waitForMessage(question.agent?.id), question.signal)
    if (question.signal.aborted) return { behavior: 'deny' }
    await write(toAskedLine(question))
    return this.#send<DriverAnswer>(toPermissionRequest(question), question.signal, {
      read: readPermission,
      refuse: (message) => ({ behavior: 'deny', message }),
      cancelled: { behavior: 'deny' },
      closed: { behavior: 'unavailable' },
    })
  }

  readonly askPort: AskPort = {
    canAsk: true,
    askQuestions: (questions, { signal = NEVER_ABORTED } = {}) => {
      const copies = questions.map(({ options, ...question }) => ({ ...question, options: [...options] }))
      return this.#send<readonly Answer[] | undefined>({ subtype: 'ask_user_question', questions: copies }, signal, {
        read: (response) => ('answers' in response ? { value: response.answers?.map(toAnswer) } : undefined),
        refuse: () => undefined,
        cancelled: undefined,
        closed: undefined,
      })
    },
    handleElicitation: ({ serverName, message, schema, url }, { signal = NEVER_ABORTED } = {}) => {
      const form = { ...(schema !== undefined && { requested_schema: schema }), ...(url !== undefined && { url }) }
      const request: Request = { subtype: 'elicitation', mcp_server_name: serverName, message, ...form }
      return this.#send<ElicitationAnswer>(request, signal, {
        read: (response) => ('action' in response ? { value: toElicitationAnswer(response) } : undefined),
        refuse: () => ({ action: 'decline' }),
        cancelled: { action: 'cancel' },
        closed: { action: 'decline' },
      })
    },
  }

  /** Handles an answer; returns a problem if it is invalid. */
  answer({ response }: ControlResponse): string | undefined {
    const { request_id: requestId } = response
    const question = this.#openQuestions.get(requestId)
    if (question === undefined) return `answers ${JSON.stringify(requestId)}, which is not an open question`
    if (response.subtype === 'error') question.refuse(response.error)
    else if (!question.accept(response.response))
      return `answers ${JSON.stringify(requestId)} with the fields of another kind of question`
    this.#openQuestions.delete(requestId)
    // The question is answered first, because an interruption withdraws open questions.
    if (response.subtype === 'success' && 'interrupt' in response.response && response.response.interrupt === true)
      this.#options.interrupt()
    return undefined
  }

  /** Ends all open questions without an answer. */
  close(): void {
    this.#isClosed = true
    for (const question of this.#openQuestions.values()) question.cancel(true)
    this.#openQuestions.clear()
  }

  async #send<T>(
    request: Request,
    signal: AbortSignal,
    answers: {
      /** Returns undefined if the response belongs to another kind of question. */
      readonly read: (response: Response) => { readonly value: T } | undefined
      readonly refuse: (message: string) => T
      /** The answer if the question is withdrawn. */
      readonly cancelled: T
      /** The answer if the driving program has closed its input. */
      readonly closed: T
    },
  ): Promise<T> {
    if (this.#isClosed) return answers.closed
    if (signal.aborted) return answers.cancelled
    const { write } = this.#options
    const requestId = randomUUID()
    const answer = new Promise<T>((resolve) => {
      this.#openQuestions.set(requestId, {
        accept(response) {
          const parsedAnswer = answers.read(response)
          if (parsedAnswer !== undefined) resolve(parsedAnswer.value)
          return parsedAnswer !== undefined
        },
        refuse: (message) => resolve(answers.refuse(message)),
        cancel: (isClosed) => resolve(isClosed ? answers.closed : answers.cancelled),
      })
    })
    const withdrawQuestion = () => {
      const question = this.#openQuestions.get(requestId)
      if (question === undefined) return
      this.#openQuestions.delete(requestId)
      question.cancel(false)
      void write({ type: 'control_cancel_request', request_id: requestId })
    }
    signal.addEventListener('abort', withdrawQuestion, { once: true })
    try {
      await write({ type: 'control_request', request_id: requestId, request })
      return await answer
    } finally {
      signal.removeEventListener('abort', withdrawQuestion)
    }
  }
}

/** For questions that are never withdrawn. */
const NEVER_ABORTED = new AbortController().signal

function toAnswer({
  question,
  chosen,
  other,
}: Answer | { question: string; chosen: string[]; other?: string | undefined }): Answer {
  return { question, chosen, ...(other !== undefined && { other }) }
}

function toElicitationAnswer(response: Extract<Response, { action: string }>): ElicitationAnswer {
  const { action, content } = response
  return action === 'accept' ? { action, ...(content != null && { content }) } : { action }
}

function toAskedLine({ tool, toolUseId, message, agent }: PermissionQuestion): OutputBody {
  const call = { tool_use_id: toolUseId, tool_name: tool.name, ...(agent !== undefined && { agent_id: agent.id }) }
  return { type: 'system', subtype: 'permission_asked', ...call, message }
}

function toPermissionRequest(question: PermissionQuestion): Request {
  const { tool, toolUseId, input, message, reason, preview, suggestions } = question
  const { description, isDestructive, requiresUser } = question
  return {
    ...({ subtype: 'can_use_tool', tool_name: tool.name, tool_use_id: toolUseId, input, message } as const),
    ...{ decision_reason: reason.text, permission_suggestions: suggestions.map((update) => ({ ...update })) },
    ...{ is_destructive: isDestructive, requires_user_interaction: requiresUser },
    ...(description !== undefined && { description }),
    ...(preview !== undefined && { preview }),
  }
}

function readPermission(response: Response): { readonly value: DriverAnswer } | undefined {
  if (!('behavior' in response)) return undefined
  if (response.behavior === 'deny') {
    return { value: { behavior: 'deny', ...(response.message != null && { message: response.message }) } }
  }
  const { updatedInput, updatedPermissions } = response
  return {
    value: {
      behavior: 'allow',
      ...(updatedInput != null && { updatedInput }),
      // Updates are validated when they are applied.
      ...(updatedPermissions != null && { updates: updatedPermissions as unknown as readonly PermissionUpdate[] }),
    },
  }
}
