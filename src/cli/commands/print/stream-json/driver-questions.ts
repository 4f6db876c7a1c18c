import { randomUUID } from 'node:crypto'
import type {
  AskPermission,
  NoUserAvailable,
  PermissionAnswer,
  PermissionQuestion,
} from '../../../../calls/call-environment.js'
import type { PermissionUpdate } from '../../../../contract/permission/result.js'
import { waitUnlessAborted } from '../../../../shared/waiting.js'
import type { ControlResponse } from '../schema/input-schema.js'
import type { OutputBody } from '../schema/output-schema.js'

type DriverAnswer = PermissionAnswer | NoUserAvailable

interface DriverQuestionsOptions {
  readonly write: (body: OutputBody) => Promise<void>
  /** Resolves when the current message of the agent has been written. */
  readonly waitForMessage: (agentId: string | undefined) => Promise<void>
  readonly interrupt: () => void
}

/** Sends permission questions to the driving program. */
export class DriverQuestions {
  readonly #options: DriverQuestionsOptions
  readonly #openQuestions = new Map<string, (answer: DriverAnswer) => void>()
  #isClosed = false

  constructor(options: DriverQuestionsOptions) {
    this.#options = options
  }

  readonly ask: AskPermission = async (question) => {
    const { write, waitForMessage } = this.#options
    await waitUnlessAborted(waitForMessage(question.agent?.id), question.signal)
    if (question.signal.aborted) return { behavior: 'deny' }
    await write(toAskedLine(question))
    if (this.#isClosed) return { behavior: 'unavailable' }
    const requestId = randomUUID()
    const answer = new Promise<DriverAnswer>((resolve) => this.#openQuestions.set(requestId, resolve))
    const withdrawQuestion = () => {
      if (!this.#openQuestions.has(requestId)) return
      this.#settle(requestId, { behavior: 'deny' })
      void write({ type: 'control_cancel_request', request_id: requestId })
    }
    question.signal.addEventListener('abort', withdrawQuestion, { once: true })
    try {
      await write(toRequestLine(requestId, question))
      return await answer
    } finally {
      question.signal.removeEventListener('abort', withdrawQuestion)
    }
  }

  /** Handles an answer; returns a problem if it is invalid. */
  answer({ response }: ControlResponse): string | undefined {
    const { request_id: requestId } = response
    if (!this.#openQuestions.has(requestId))
      return `answers ${JSON.stringify(requestId)}, which is not an open question`
    if (response.subtype === 'error') {
      this.#settle(requestId, { behavior: 'deny', message: response.error })
      return undefined
    }
    const { response: answer } = response
    if (answer.behavior === 'deny') {
      this.#settle(requestId, { behavior: 'deny', ...(answer.message != null && { message: answer.message }) })
      if (answer.interrupt === true) this.#options.interrupt()
      return undefined
    }
    const { updatedInput, updatedPermissions } = answer
    this.#settle(requestId, {
      behavior: 'allow',
      ...(updatedInput != null && { updatedInput }),
      // Updates are validated when they are applied.
      ...(updatedPermissions != null && { updates: updatedPermissions as unknown as readonly PermissionUpdate[] }),
    })
    return undefined
  }

  /** Ends all open questions without an answer. */
  close(): void {
    this.#isClosed = true
    for (const requestId of [...this.#openQuestions.keys()]) this.#settle(requestId, { behavior: 'unavailable' })
  }

  #settle(requestId: string, answer: DriverAnswer): void {
    this.#openQuestions.get(requestId)?.(answer)
    this.#openQuestions.delete(requestId)
  }
}

function toAskedLine({ tool, toolUseId, message, agent }: PermissionQuestion): OutputBody {
  const call = { tool_use_id: toolUseId, tool_name: tool.name, ...(agent !== undefined && { agent_id: agent.id }) }
  return { type: 'system', subtype: 'permission_asked', ...call, message }
}

function toRequestLine(request_id: string, question: PermissionQuestion): OutputBody {
  const { tool, toolUseId, input, message, reason, preview, suggestions } = question
  const request = {
    ...({ subtype: 'can_use_tool', tool_name: tool.name, tool_use_id: toolUseId, input, message } as const),
    ...{ decision_reason: reason.text, permission_suggestions: suggestions.map((update) => ({ ...update })) },
    ...(preview !== undefined && { preview }),
  }
  return { type: 'control_request', request_id, request }
}
