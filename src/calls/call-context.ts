import { ToolCallError } from '../contract/errors.js'
import type { Message } from '../contract/messages.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { Tool, ToolContext, ToolCoreContext } from '../contract/tool/tool.js'
import type { CallPorts, CallStanding } from './call-environment.js'
import type { CallControl } from './cancellation.js'

/** Where the parts of a context come from. */
interface ContextSources {
  readonly host: {
    readonly contextOptions: Pick<ToolCoreContext, 'options' | 'queryTracking' | 'agentId'>
    readonly ports: Partial<Ports>
    readonly callPorts?: CallPorts
  }
  readonly control: CallControl
  readonly cwd: string
  readonly messages: readonly Message[]
}

/**
 * The context of one call. Its signal is made when a tool first looks at it, because that costs more than all the rest;
 * it is a property of its own all the same, so that a tool may hand on a copy of its context.
 */
class CallContext implements ToolCoreContext {
  static readonly #signalOnDemand = {
    enumerable: true,
    get(this: CallContext) {
      return this.abortController.signal
    },
  }
  declare readonly signal: AbortSignal
  readonly toolUseId: string
  readonly cwd: string
  readonly abortController: AbortController
  readonly messages: readonly Message[]
  readonly options: ToolCoreContext['options']
  readonly queryTracking: ToolCoreContext['queryTracking']
  declare readonly agentId?: string
  readonly #toolName: string
  readonly #standing: CallStanding

  constructor(
    toolName: string,
    toolUseId: string,
    { host, control, cwd, messages }: ContextSources,
    standing: CallStanding,
  ) {
    const { options, queryTracking, agentId } = host.contextOptions
    this.toolUseId = toolUseId
    this.cwd = cwd
    this.abortController = control.abortController
    this.messages = messages
    this.options = options
    this.queryTracking = queryTracking
    if (agentId !== undefined) this.agentId = agentId
    this.#toolName = toolName
    this.#standing = standing
    Object.defineProperty(this, 'signal', CallContext.#signalOnDemand)
  }

  /** Decided after the context was made; no copy takes it along, and a tool that is handed it by another sees whose it is. */
  get toolAllowedByRule(): string | undefined {
    return this.#standing.isAllowedByRule ? this.#toolName : undefined
  }
}

/** Makes the context of one call: the core, and those ports that the tool named. */
export function createCallContext(
  tool: Tool,
  toolUseId: string,
  sources: ContextSources,
  standing: CallStanding = UNAPPROVED,
): ToolContext {
  const context = new CallContext(tool.name, toolUseId, sources, standing)
  return tool.needs === undefined ? context : withPorts(context, tool, tool.needs, sources.host, standing)
}

const UNAPPROVED: CallStanding = { isApprovedByPerson: false, isAllowedByRule: false, isOver: false }

function withPorts(
  context: CallContext & { -readonly [P in PortName]?: unknown },
  tool: Tool,
  needs: readonly PortName[],
  { ports, callPorts }: ContextSources['host'],
  standing: CallStanding,
): ToolContext {
  for (const port of needs) {
    context[port] = callPorts?.[port]?.(standing) ?? ports[port]
    if (context[port] === undefined)
      throw new ToolCallError(
        'unavailable',
        `${tool.name} needs ${port}, which this host does not supply. Work without it.`,
      )
  }
  return context
}
