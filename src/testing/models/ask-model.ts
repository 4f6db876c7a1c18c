import type { Model, ModelBlock, ModelEvent, ModelRequest } from '../../contract/model/model.js'

/** The smallest valid request. */
export const HELLO_REQUEST: ModelRequest = {
  system: ['You help.'],
  tools: [],
  builtInTools: 0,
  messages: [{ type: 'user', content: 'Hello' }],
}

/** Collects all events of a model's response. */
export async function askModel(
  model: Model,
  request: ModelRequest = HELLO_REQUEST,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, { signal })) events.push(event)
  return events
}

export function listBlocks(events: readonly ModelEvent[]): ModelBlock[] {
  return events.flatMap((event) => (event.type === 'block-ended' ? [event.block] : []))
}
