import { randomUUID } from 'node:crypto'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { findToolByName } from '../../contract/tool/identity.js'
import { isRecord } from '../../shared/is-record.js'
import { findUpstreamError, toCallResult } from './call-result.js'
import type { ClientCall } from './client-call.js'
import type { Gateway } from './gateway.js'
import { CALL_BY_NAME, resolveNamedCall, type ServedRuntime } from './listed-tools.js'
import { READ_RESULT } from './result-pages.js'
import type { UpstreamResources } from './upstream-resources.js'

/** Runs a client's tool call through the same pipeline as every other call. */
export async function callTool(
  {
    name,
    arguments: input = {},
  }: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
  call: ClientCall,
  { outputs, pages, resources, waitForServers }: Gateway,
  runtime: ServedRuntime,
): Promise<CallToolResult> {
  const target = resolveNamedCall({ name, input })
  if (typeof target === 'string') return { content: [{ type: 'text', text: target }], isError: true }
  if (target.name === READ_RESULT) return pages.read(target.input)
  // The client may search for a tool, or know it from an earlier run, while its server is still starting.
  const tool = findToolByName(runtime.pool, target.name)
  if (tool === undefined || tool.findsTools === true) await waitForServers()
  const id = `mcp_${randomUUID()}`
  try {
    const { block, error } = await runtime.call(
      { type: 'tool_use', id, name: target.name, input: target.input },
      { signal: call.signal, onProgress: createProgressForwarder(call) },
    )
    const upstreamError = error?.code === 'tool_failed' ? findUpstreamError(error) : undefined
    // A hook may have added feedback to the error, which only a result can carry.
    if (upstreamError !== undefined && block.content === error?.message) throw upstreamError
    if (error?.code === 'unknown_tool' && name !== CALL_BY_NAME) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
    }
    const result = toCallResult(block, outputs.take(block, error))
    const serverName = findToolByName(runtime.pool, target.name)?.mcpInfo?.serverName
    if (resources !== undefined && serverName !== undefined) recordLinks(result, serverName, resources)
    return result
  } finally {
    outputs.forget(id)
  }
}

/** Remembers which server the linked resources belong to, so that the client can read them. */
function recordLinks({ content }: CallToolResult, serverName: string, resources: UpstreamResources): void {
  for (const part of content) if (part.type === 'resource_link') resources.addOwner(part.uri, serverName)
}

/** Forwards progress reports. Servers send numbers; the reports of our own tools have none, so they are counted. */
function createProgressForwarder(call: ClientCall): (progress: unknown) => void {
  let count = 0
  return (report) => {
    count++
    const { progress = count, total, message } = isRecord(report) ? report : {}
    call.notify({
      method: 'notifications/progress',
      params: {
        progress: typeof progress === 'number' ? progress : count,
        ...(typeof total === 'number' && { total }),
        ...(typeof message === 'string' && { message }),
      },
    })
  }
}
