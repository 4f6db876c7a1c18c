import { ToolCallError } from '../../../contract/errors.js'
import type { ToolPermissionContext } from '../../../contract/permission-context.js'
import type { Tool, ToolContext, Tools } from '../../../contract/tool.js'
import { isCallReadOnly } from '../../../contract/tool-traits.js'
import type { ParsedCall } from '../../../execution/call-states.js'
import { findTool } from '../../../execution/find-tool.js'
import { observableInput } from '../../../execution/observable-input.js'
import { parseInput } from '../../../execution/parse-input.js'
import { decidePermission } from '../../../permissions/decide-permission.js'
import type { PermissionOutcome } from '../../../permissions/permission-outcome.js'
import { unknownShell } from '../../../permissions/unknown-shell.js'
import { nodePathFacts } from '../../../ports/node-path-facts.js'
import { systemClock } from '../../../ports/system-clock.js'
import { builtInTools } from '../../../tools/index.js'

/** A call that nobody makes: what would be decided about it. */
export interface SupposedCall {
  readonly toolName: string
  readonly input: unknown
  readonly permissions: ToolPermissionContext
  readonly cwd: string
  /** What rules with a leading slash count from. */
  readonly projectDir: string
  readonly homeDir: string
}

export interface Judgement {
  readonly outcome: PermissionOutcome
  /** By the tool's own word about the parsed input. */
  readonly readOnly: boolean
}

const tools: Tools = Object.freeze([...builtInTools])
const ports = { paths: nodePathFacts(), shell: unknownShell }

/** Decides on a call as the pipeline would, without running it or any hook. What cannot be parsed is denied. */
export async function judgeCall(call: SupposedCall): Promise<Judgement> {
  const parsed = await parse(call)
  if ('behavior' in parsed) return { outcome: parsed, readOnly: false }
  const { tool, input } = parsed
  const { cwd, projectDir, homeDir, permissions } = call
  const outcome = await decidePermission(
    {
      tool,
      input: observableInput(tool, input),
      permissions,
      toolContext: contextFor(tool, cwd),
      place: { cwd, startDir: cwd, projectDir, homeDir },
      canAsk: true,
    },
    ports,
  )
  return { outcome, readOnly: isCallReadOnly(tool, input) }
}

async function parse({ toolName, input }: SupposedCall): Promise<ParsedCall | PermissionOutcome> {
  const toolUse = { type: 'tool_use', id: 'supposed', name: toolName, input } as const
  try {
    const found = findTool({ toolUse, parentMessage: { type: 'assistant', content: [] } }, { tools })
    return await parseInput(found, () => true)
  } catch (error) {
    if (!(error instanceof ToolCallError)) throw error
    return deniedInput(error.message)
  }
}

/** The answer about something that is no call. */
export function deniedInput(text: string): PermissionOutcome {
  return {
    behavior: 'deny',
    reason: { type: 'input', text },
    message: text,
    suggestions: [],
    trace: [{ station: 'input', outcome: 'deny', text }],
  }
}

/** Enough for a tool's own check; one that wants a port which is not here fails, and a check that fails is a question. */
function contextFor(tool: Tool, cwd: string): ToolContext {
  const abortController = new AbortController()
  const context = {
    toolUseId: 'supposed',
    cwd,
    abortController,
    signal: abortController.signal,
    messages: [],
    options: {
      tools,
      commands: [],
      mainLoopModel: '',
      thinkingConfig: { type: 'disabled' as const },
      mcpClients: [],
      agentDefinitions: [],
    },
    queryTracking: { chainId: 'main', depth: 0 },
  }
  return tool.needs?.includes('clock') ? { ...context, ...{ clock: systemClock } } : context
}
