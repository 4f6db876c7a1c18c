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
import type { OriginalOutput } from './original-outputs.js'

/**
 * Converts a result for clients: the tool's original output if nothing changed it, otherwise the result as a model would
 * receive it.
 */
export function toCallResult(block: ToolResultBlock, originalOutput: OriginalOutput | undefined): CallToolResult {
  if (originalOutput === undefined) {
    const parts = typeof block.content === 'string' ? [toTextBlock(block.content)] : block.content.map(toContent)
    return { content: parts, ...(block.is_error === true && { isError: true }) }
  }
  const { content, structuredContent, isError, _meta } = originalOutput
  return {
    content: content.map((part) => (isSpecType.ContentBlock(part) ? part : toTextBlock(JSON.stringify(part) ?? ''))),
    // The type of older revisions requires an object; servers may send any value.
    ...(structuredContent !== undefined && { structuredContent: structuredContent as Record<string, unknown> }),
    ...(isError === true && { isError }),
    ...(_meta !== undefined && { _meta }),
  }
}

function toContent(part: ToolResultContent): ContentBlock {
  if (part.type === 'text') return toTextBlock(part.text)
  if (part.type === 'tool_reference') return toTextBlock(`[The tool ${part.tool_name} is now available.]`)
  const { source } = part
  if (source.type === 'url') return toTextBlock(`[${part.type} at ${source.url}]`)
  const { media_type: mimeType, data } = source
  if (part.type === 'image') return { type: 'image', mimeType, data }
  return {
    type: 'resource',
    resource: { uri: `document:${encodeURIComponent(part.title ?? 'result')}`, mimeType, blob: data },
  }
}

function toTextBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** Finds the protocol error of an upstream server in the causes of an error. */
export function findUpstreamError(error: unknown): ProtocolError | undefined {
  for (let cause = error; isObject(cause); cause = cause.cause) {
    const { code, message, data } = cause
    // Errors of HTTP have positive codes, too.
    const isProtocolError = cause.name === 'ProtocolError' || Number(code) < 0
    if (typeof code === 'number' && Number.isInteger(code) && isProtocolError)
      return ProtocolError.fromError(code, String(message), data)
  }
  return undefined
}

/**
 * Converts a failure for the client: the upstream server's protocol error if there is one, otherwise an internal error.
 */
export function toProtocolError(error: unknown): ProtocolError {
  return (
    findUpstreamError(error) ?? new ProtocolError(ProtocolErrorCode.InternalError, reasonOf(error) || 'Unknown error')
  )
}
