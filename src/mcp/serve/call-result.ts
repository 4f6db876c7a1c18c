import {
  type CallToolResult,
  type ContentBlock,
  isSpecType,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { isObject } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { KeptOutput } from './kept-outputs.js'

/** A result as clients take it: all that the tool gave where nothing changed it, else what a model would get. */
export function toCallResult(block: ToolResultBlock, kept: KeptOutput | undefined): CallToolResult {
  if (kept === undefined) {
    const parts = typeof block.content === 'string' ? [textOf(block.content)] : block.content.map(toContent)
    return { content: parts, ...(block.is_error === true && { isError: true }) }
  }
  const { content, structuredContent, _meta } = kept
  return {
    content: content.map((part) => (isSpecType.ContentBlock(part) ? part : textOf(JSON.stringify(part) ?? ''))),
    // Whatever a server calls structured: older revisions want an object there.
    ...(structuredContent !== undefined && { structuredContent: structuredContent as Record<string, unknown> }),
    ...(_meta !== undefined && { _meta }),
  }
}

function toContent(part: ToolResultContent): ContentBlock {
  if (part.type === 'text') return textOf(part.text)
  if (part.type === 'tool_reference') return textOf(`[The tool ${part.tool_name} can be called now.]`)
  const { source } = part
  if (source.type === 'url') return textOf(`[${part.type} at ${source.url}]`)
  const { media_type: mimeType, data } = source
  if (part.type === 'image') return { type: 'image', mimeType, data }
  return {
    type: 'resource',
    resource: { uri: `document:${encodeURIComponent(part.title ?? 'result')}`, mimeType, blob: data },
  }
}

function textOf(text: string): ContentBlock {
  return { type: 'text', text }
}

/** The error that a server behind answered with, where that is what went wrong. */
export function answeredError(error: unknown): ProtocolError | undefined {
  for (let each = error; isObject(each); each = each.cause) {
    const { code, message, data } = each
    if (typeof code === 'number' && Number.isInteger(code)) return ProtocolError.fromError(code, String(message), data)
  }
  return undefined
}

/** What a client gets to read of a failure: the error of the server behind, or our own. */
export function asProtocolError(error: unknown): ProtocolError {
  return answeredError(error) ?? new ProtocolError(ProtocolErrorCode.InternalError, reasonOf(error) || 'it failed')
}

/** Errors that a client has to see as such, because it is to act on them and not its model. */
const FOR_CLIENTS: ReadonlySet<number> = new Set([
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UrlElicitationRequired,
])

export function errorForClient(error: unknown): ProtocolError | undefined {
  const answered = answeredError(error)
  return answered !== undefined && FOR_CLIENTS.has(answered.code) ? answered : undefined
}
