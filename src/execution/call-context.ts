import { ToolCallError } from '../contract/errors.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { Tool, ToolContext, ToolCoreContext } from '../contract/tool.js'
import type { CallControl } from './call-control.js'

/** What all calls of a conversation share. */
export type SharedContext = Pick<ToolCoreContext, 'cwd' | 'messages' | 'options' | 'queryTracking' | 'agentId'>

/** The context of one call. The signal is made when a tool first looks at it. */
class CallContext {
  readonly toolUseId: string
  readonly cwd: string
  readonly messages: ToolCoreContext['messages']
  readonly options: ToolCoreContext['options']
  readonly queryTracking: ToolCoreContext['queryTracking']
  declare readonly agentId?: string
  readonly #control: CallControl

  constructor(toolUseId: string, shared: SharedContext, control: CallControl) {
    this.toolUseId = toolUseId
    this.cwd = shared.cwd
    this.messages = shared.messages
    this.options = shared.options
    this.queryTracking = shared.queryTracking
    if (shared.agentId !== undefined) this.agentId = shared.agentId
    this.#control = control
  }

  get abortController(): AbortController {
    return this.#control.abortController
  }

  get signal(): AbortSignal {
    return this.#control.abortController.signal
  }
}

/** Makes the context of one call: the core, and those ports that the tool named. */
export function createCallContext(
  tool: Tool,
  toolUseId: string,
  { shared, ports, control }: { shared: SharedContext; ports: Partial<Ports>; control: CallControl },
): ToolContext {
  const context = new CallContext(toolUseId, shared, control)
  for (const port of tool.needs ?? []) {
    Object.defineProperty(context, port, { value: portFor(tool, port, ports), enumerable: true })
  }
  return context
}

function portFor(tool: Tool, port: PortName, ports: Partial<Ports>): unknown {
  const supplied = ports[port]
  if (supplied === undefined)
    throw new ToolCallError(
      'unavailable',
      `${tool.name} needs ${port}, which this host does not supply. Work without it.`,
    )
  return supplied
}
