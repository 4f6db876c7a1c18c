import { isRecord } from '../shared/is-record.js'
import { unlessAborted } from '../shared/waiting.js'
import { fillTemplate } from './fill-template.js'
import type { HookCall } from './hook-call.js'
import type { McpToolHook } from './hook-config.js'
import type { HookEnd } from './hook-end.js'
import type { McpToolAnswer } from './hook-ports.js'

/** Calls a tool of a connected server; its structured content, or its text, is the answer. */
export async function runMcpToolHook(hook: McpToolHook, call: HookCall): Promise<HookEnd> {
  const { callMcpTool } = call.ports
  if (callMcpTool === undefined)
    return { type: 'failed', message: 'No MCP servers are connected here, so this hook cannot run.' }
  // From the JSON, so that the server sees what every other hook sees.
  const input = fillTemplate(hook.input, JSON.parse(call.json)) as Readonly<Record<string, unknown>>
  const { server, tool } = hook
  const done = await unlessAborted(callMcpTool({ server, tool, input, signal: call.signal }), call.signal)
  return done === undefined ? { type: 'stopped' } : readMcpAnswer(done.value)
}

function readMcpAnswer({ content, structuredContent, isError }: McpToolAnswer): HookEnd {
  const text = content.flatMap((block) => textOf(block)).join('\n')
  if (isError === true) return { type: 'failed', message: `The tool failed: ${text}` }
  return isRecord(structuredContent) ? { type: 'answered', json: structuredContent } : { type: 'said', text }
}

function textOf(block: unknown): string[] {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : []
}
