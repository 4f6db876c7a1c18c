import type { Model, ModelBlock, ModelEvent, ModelRequest } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'

/** A small request with a system prompt in two parts and one tool. */
export const HELLO_REQUEST: ModelRequest = {
  system: ['Be brief.', 'Be kind.'],
  tools: [{ name: 'Read', description: 'Reads', input_schema: { type: 'object', properties: {} }, strict: true }],
  builtInTools: 1,
  messages: [{ type: 'user', content: 'Hello' }],
  conversationId: 'c1',
}

interface ModelOutcome {
  readonly events: ModelEvent[]
  readonly error: ModelError | undefined
}

/** Sends a request. Returns all its events and the error with which it ended, if any. */
export async function tryModel(
  model: Model,
  request: ModelRequest = HELLO_REQUEST,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelOutcome> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(request, { signal })) events.push(event)
    return { events, error: undefined }
  } catch (error) {
    if (error instanceof ModelError) return { events, error }
    throw error
  }
}

export function listBlocks(events: readonly ModelEvent[]): ModelBlock[] {
  return events.flatMap((event) => (event.type === 'block-ended' ? [event.block] : []))
}

/** Joins the texts of the deltas: inputs by the id of their call, other texts by kind. */
export function joinPieces(events: readonly ModelEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (event.type === 'call-begun') texts[event.id] = ''
    if (event.type === 'input-delta') texts[event.id] += event.json
    if (event.type === 'text-delta' || event.type === 'thinking-delta') {
      texts[event.type] = `${texts[event.type] ?? ''}${event.text}`
    }
  }
  return texts
}
