import { isRecord } from '../../shared/is-record.js'
import { waitUnlessAborted } from '../../shared/waiting.js'
import type { HookEnd } from '../answer/hook-answer.js'
import type { McpToolHook } from '../config/hook-config.js'
import type { HookCall, McpToolAnswer } from './hook-call.js'

/** Calls a tool of a connected MCP server. Its structured content or its text is the answer. */
export async function runMcpToolHook(hook: McpToolHook, call: HookCall): Promise<HookEnd> {
  const { callMcpTool } = call.ports
  if (callMcpTool === undefined)
    return { type: 'failed', message: 'No MCP servers are connected here, so this hook cannot run.' }
  // Parsed from the JSON, so that the server receives the same payload as every other hook.
  const input = fillTemplate(hook.input, JSON.parse(call.json)) as Readonly<Record<string, unknown>>
  const { server, tool } = hook
  const outcome = await waitUnlessAborted(callMcpTool({ server, tool, input, signal: call.signal }), call.signal)
  return outcome === undefined ? { type: 'stopped' } : readMcpAnswer(outcome.value)
}

function readMcpAnswer({ content, structuredContent, isError }: McpToolAnswer): HookEnd {
  const text = content.flatMap((block) => readText(block)).join('\n')
  if (isError === true) return { type: 'failed', message: `The tool failed: ${text}` }
  return isRecord(structuredContent) ? { type: 'answered', json: structuredContent } : { type: 'text', text }
}

function readText(block: unknown): string[] {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : []
}

const PLACEHOLDER = /\$\{([A-Za-z0-9_.-]+)\}/g
const ONLY_PLACEHOLDER = /^\$\{([A-Za-z0-9_.-]+)\}$/

/**
 * Replaces placeholders such as `${tool_input.file_path}` with fields of the payload. A text that is only a placeholder
 * becomes the value itself.
 */
function fillTemplate(template: unknown, payload: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return fillText(template, payload)
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, payload))
  if (!isRecord(template)) return template
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillTemplate(value, payload)]))
}

function fillText(text: string, payload: Readonly<Record<string, unknown>>): unknown {
  const onlyPath = ONLY_PLACEHOLDER.exec(text)?.[1]
  if (onlyPath !== undefined) return findValue(payload, onlyPath) ?? ''
  return text.replace(PLACEHOLDER, (_, path: string) => {
    const value = findValue(payload, path) ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function findValue(payload: unknown, path: string): unknown {
  let value = payload
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
