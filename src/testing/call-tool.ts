import { analyseCommandLine } from '../calls/steps/analyse-command.js'
import { ToolCallError } from '../contract/errors.js'
import type { AssistantMessage, ToolResultBlock } from '../contract/messages.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { SchemaIssue } from '../contract/schema.js'
import { commandOf } from '../contract/tool/command-of.js'
import type { Tool, ToolContext, ToolCoreContext } from '../contract/tool/tool.js'

/** The context for the tool: its ports and any core values that the test sets. */
export type CallToolOptions = Partial<Ports> & Partial<ToolCoreContext> & { onProgress?: (progress: any) => void }

/**
 * Calls a tool as a model would, without the call pipeline: validates the input and returns the result that the model
 * reads. Rejects with the error message for the model if the input is invalid or the call fails.
 */
export async function callTool(
  tool: Tool<any, any, any, any>,
  input: unknown,
  options: CallToolOptions = {},
): Promise<string> {
  const { onProgress, ...overrides } = options
  const validationResult = await tool.inputSchema['~standard'].validate(input)
  if (validationResult.issues !== undefined)
    throw new ToolCallError('input_invalid', validationResult.issues.map(formatIssue).join('\n'))
  const context = await withCommand(tool, validationResult.value, createContext(tool, overrides))
  const validation = await tool.validateInput?.(validationResult.value, context)
  if (validation?.result === false) throw new ToolCallError('input_refused', validation.message)
  const result = await tool.call(
    validationResult.value,
    context,
    async () => ({ behavior: 'allow' }),
    NO_MESSAGE,
    onProgress,
  )
  const text = joinText(tool.mapToolResultToToolResultBlockParam(result.data, context.toolUseId))
  result.onShown?.()
  return text
}

/** Adds the analysis of the command that the call runs, unless the test provides its own. */
async function withCommand(tool: Tool<any, any, any, any>, input: unknown, context: ToolContext) {
  const line = commandOf(tool, input)
  if (line === undefined || context.command !== undefined) return context
  return { ...context, command: await analyseCommandLine(line, { cwd: context.cwd, homeDir: '/home/dev' }) }
}

const NO_MESSAGE: AssistantMessage = { type: 'assistant', content: [] }

function createContext(
  tool: Tool<any, any, any, any>,
  overrides: Partial<Ports> & Partial<ToolCoreContext>,
): ToolContext {
  const abortController = overrides.abortController ?? new AbortController()
  const ports = Object.fromEntries(
    (tool.needs ?? []).map((port: PortName) => [port, requirePort(tool.name, port, overrides)]),
  )
  return {
    toolUseId: overrides.toolUseId ?? 'toolu_test',
    cwd: overrides.cwd ?? '/project',
    abortController,
    signal: overrides.signal ?? abortController.signal,
    messages: overrides.messages ?? [],
    options: overrides.options ?? {
      tools: [tool],
      commands: [],
      mainLoopModel: 'test',
      thinkingConfig: { type: 'disabled' },
      mcpClients: [],
      agentDefinitions: [],
    },
    queryTracking: overrides.queryTracking ?? { chainId: 'test', depth: 0 },
    ...(overrides.agentId !== undefined && { agentId: overrides.agentId }),
    ...(overrides.command !== undefined && { command: overrides.command }),
    ...ports,
  }
}

function requirePort(toolName: string, port: PortName, overrides: Partial<Ports>): unknown {
  if (overrides[port] === undefined)
    throw new Error(`${toolName} needs the port ${port}: pass a fake of it to callTool.`)
  return overrides[port]
}

function formatIssue({ message, path = [] }: SchemaIssue): string {
  const location = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return location === '' ? message : `${location}: ${message}`
}

function joinText({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
