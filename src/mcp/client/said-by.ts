import { isRecord } from '../../shared/is-record.js'
import { plainOutput } from '../../shared/plain-output.js'
import type { InputRequest, InputRequests } from './exchange.js'

/** Whether a page of the web is meant, and no file or program. */
export function isWebPage(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/**
 * What a server asks, as it is put before somebody else's user: questions about permissions come the same way, and a
 * server must not pass for whoever asks those.
 */
export function saidBy(serverName: string, requests: InputRequests): InputRequests {
  return Object.fromEntries(Object.entries(requests).map(([key, request]) => [key, named(serverName, request)]))
}

function named(serverName: string, request: InputRequest): InputRequest {
  const { method, params } = request
  if (method !== 'elicitation/create' || !isRecord(params)) return request
  if (params.mode === 'url' && !isWebPage(params.url)) throw new Error('Only pages of the web can be opened.')
  const message = `The MCP server ${serverName} asks: ${plainOutput(String(params.message ?? ''))}`
  return { method, params: { ...params, message } }
}
