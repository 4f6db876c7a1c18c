import { describe, expect, test } from 'vitest'
import type { HookEnd } from '../answer/hook-answer.js'
import type { HookCall, HookPorts, McpToolAnswer, McpToolRequest } from './hook-call.js'
import { runMcpToolHook } from './run-mcp-tool-hook.js'

const PAYLOAD = { tool_name: 'Write', tool_input: { file_path: '/a.ts', lines: [1, 2] } }

function call(
  ports: HookPorts,
  input: Readonly<Record<string, unknown>> = {},
  signal = new AbortController().signal,
): Promise<HookEnd> {
  return runMcpToolHook(
    { type: 'mcp_tool', server: 'audit', tool: 'log', input, timeoutMs: 60_000, once: false, async: false },
    { json: JSON.stringify(PAYLOAD), signal, ports } as HookCall,
  )
}

function createHookPorts(answer: McpToolAnswer): HookPorts {
  return { callMcpTool: async () => answer }
}

describe('an MCP tool hook', () => {
  test('is called with placeholders replaced by fields of the payload', async () => {
    let receivedRequest: Omit<McpToolRequest, 'signal'> | undefined
    const callMcpTool: HookPorts['callMcpTool'] = async ({ signal, ...request }) => {
      receivedRequest = request
      return { content: [] }
    }

    await call(
      { callMcpTool },
      {
        path: `\${tool_input.file_path}`,
        all: [`\${tool_input.lines}`],
        text: `\${tool_name}: \${tool_input.lines}\${no.such}`,
        n: 1,
      },
    )

    expect(receivedRequest).toEqual({
      server: 'audit',
      tool: 'log',
      input: { path: '/a.ts', all: [[1, 2]], text: 'Write: [1,2]', n: 1 },
    })
  })

  test('does not fill placeholders from inherited properties', async () => {
    const callMcpTool: HookPorts['callMcpTool'] = async ({ input }) => ({ content: [], structuredContent: { input } })

    const end = await call({ callMcpTool }, { x: `\${tool_input.constructor.name}` })

    expect(end).toEqual({ type: 'answered', json: { input: { x: '' } } })
  })

  test('answers with structured content, or else with its text', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'image' }, null, { type: 'text', text: 'b' }]

    expect(await call(createHookPorts({ content, structuredContent: { decision: 'block' } }))).toEqual({
      type: 'answered',
      json: { decision: 'block' },
    })
    expect(await call(createHookPorts({ content }))).toEqual({ type: 'text', text: 'a\nb' })
  })

  test('that reports an error fails, whatever its content', async () => {
    const content = [{ type: 'text', text: 'no such table' }]

    expect(await call(createHookPorts({ content, structuredContent: { decision: 'approve' }, isError: true }))).toEqual(
      {
        type: 'failed',
        message: 'The tool failed: no such table',
      },
    )
  })

  test('fails if no servers are connected', async () => {
    expect(await call({})).toEqual({
      type: 'failed',
      message: 'No MCP servers are connected here, so this hook cannot run.',
    })
  })

  test('is abandoned if the tool never answers', async () => {
    const controller = new AbortController()
    const callMcpTool = () => {
      controller.abort()
      return new Promise<McpToolAnswer>(() => {})
    }

    expect(await call({ callMcpTool }, {}, controller.signal)).toEqual({ type: 'stopped' })
  })
})
