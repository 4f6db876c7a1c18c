import type { Model, ModelRequest } from '../../contract/model/model.js'
import { addMessage } from '../add-message.js'
import type { SessionEvent } from '../session-event.js'
import { buildRequest } from './build-request.js'
import type { QueryOptions } from './query-options.js'

/** The pool, and the conversation as it is now, for a model. */
export async function* nextRequest(options: QueryOptions, model: Model): AsyncGenerator<SessionEvent, ModelRequest> {
  const { runtime, conversation, announce } = options
  const tools = await runtime.definitions(model.facts)
  const ofTools = await runtime.announce(conversation.messages)
  const news = [...(ofTools === undefined ? [] : [ofTools]), ...(announce?.(conversation.messages) ?? [])]
  for (const message of news) yield addMessage(conversation, message)
  return buildRequest(options, tools)
}
