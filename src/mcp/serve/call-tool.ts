import { randomUUID } from 'node:crypto'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { findToolByName } from '../../contract/tool/identity.js'
import { isRecord } from '../../shared/is-record.js'
import { errorForClient, toCallResult } from './call-result.js'
import type { FrontCall } from './client-call.js'
import type { Gateway } from './gateway.js'
import { CALL_BY_NAME, calledByName } from './listed-tools.js'

/** One call of a client, down the road that all calls take. */
export async function callTool(
  {
    name,
    arguments: input = {},
  }: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
  call: FrontCall,
  { runtime, outputs, serversCameUp }: Gateway,
): Promise<CallToolResult> {
  const meant = calledByName({ name, input })
  if (typeof meant === 'string') return { content: [{ type: 'text', text: meant }], isError: true }
  // A client may look for a tool, or know one from an earlier run, whose server is only coming up.
  const tool = findToolByName(runtime.pool, meant.name)
  if (tool === undefined || tool.findsTools === true) await serversCameUp()
  const id = `mcp_${randomUUID()}`
  try {
    const { block, error } = await runtime.call(
      { type: 'tool_use', id, name: meant.name, input: meant.input },
      { signal: call.signal, onProgress: progressTo(call) },
    )
    const forClient = errorForClient(error)
    if (forClient !== undefined) throw forClient
    if (error?.code === 'unknown_tool' && name !== CALL_BY_NAME) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message)
    }
    return toCallResult(block, outputs.take(block))
  } finally {
    outputs.forget(id)
  }
}

/** Servers report in the protocol's own words; what our tools report is counted. */
function progressTo(call: FrontCall): (progress: unknown) => void {
  let count = 0
  return (reported) => {
    count++
    const { progress = count, total, message } = isRecord(reported) ? reported : {}
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
