import type { Model, ModelEvent, ModelRequest } from '../../contract/model.js'
import { ModelError } from '../../contract/model-error.js'
import { RECORDING_VERSION, type RecordingLine } from './recording.js'
import { requestParts } from './request-parts.js'

/** The same model; each request and what comes of it goes to the sink as a line of JSON, as it happens. */
export function recordModel(model: Model, sink: (line: string) => void): Model {
  const { id, provider, facts } = model
  let requests = 0

  function write(line: RecordingLine): void {
    sink(`${JSON.stringify(line)}\n`)
  }

  async function* stream(request: ModelRequest, options: { signal: AbortSignal }): AsyncGenerator<ModelEvent> {
    if (requests === 0)
      write({ type: 'recording', version: RECORDING_VERSION, model: { id, provider, facts: { ...facts } } })
    requests += 1
    const number = requests
    const { hash, system, tools, messages } = requestParts(request)
    write({ type: 'request', request: number, hash, system: [...system], tools: [...tools], messages: [...messages] })
    let isOver = false
    try {
      for await (const event of model.stream(request, options)) {
        write({ type: 'event', request: number, event })
        isOver = event.type === 'message-ended'
        yield event
      }
      isOver = true
    } catch (error) {
      if (error instanceof ModelError) write({ type: 'error', request: number, error: errorOf(error) })
      isOver = true
      throw error
    } finally {
      if (!isOver) write({ type: 'left', request: number })
    }
  }

  return { id, provider, facts, stream }
}

function errorOf({ kind, message, status, retryAfterMs }: ModelError) {
  return { kind, message, ...(status !== undefined && { status }), ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
