import type { Model, ModelRequest, ModelUsage, StopReason } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'

export interface ModelAnswer {
  readonly text: string
  readonly usage: ModelUsage
  readonly stopReason: StopReason
}

/** Sends one request outside the loop and returns the whole text. Throws if the answer breaks off. */
export async function askOnce(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const texts: string[] = []
  for await (const event of model.stream(request, { signal })) {
    if (event.type === 'block-ended' && event.block.type === 'text') texts.push(event.block.text)
    if (event.type === 'message-ended') {
      const { usage, stopReason } = event
      return { text: texts.join('\n'), usage, stopReason }
    }
  }
  throw new ModelError('stream_cut', "The model's answer ended before it was complete.")
}
