import type { CommandAnalysis } from '../contract/command.js'
import { ToolCallError } from '../contract/errors.js'
import type { JudgedPaths } from '../contract/judged-paths.js'
import type { Message, ToolUseBlock } from '../contract/messages.js'
import type { PortName } from '../contract/ports/index.js'
import type { ContextModifier } from '../contract/tool/context.js'
import type { Tool, ToolContext, ToolCoreContext } from '../contract/tool/tool.js'
import type { CallApproval, CallEnvironment } from './call-environment.js'
import type { Cancellation } from './cancellation.js'
import { bindToJudgedPaths } from './judged-ports.js'

interface ContextSource extends CallApproval {
  readonly command: CommandAnalysis | undefined
  readonly judgedPaths: JudgedPaths | undefined
  readonly toolUse: ToolUseBlock
  readonly environment: Pick<CallEnvironment, 'contextOptions' | 'ports' | 'callPorts'>
  readonly cancellation: Cancellation
  readonly location: ChangeableContext
  readonly messages: readonly Message[]
}

/** Creates the context of one call: the core members, and the ports that the tool listed in `needs`. */
export function createCallContext(tool: Tool, call: ContextSource): ToolContext {
  const context: CallContext & { -readonly [P in PortName]?: unknown } = new CallContext(tool.name, call)
  const { ports, callPorts } = call.environment
  for (const port of tool.needs ?? []) {
    context[port] = callPorts?.[port]?.(call) ?? bindToJudgedPaths(port, ports(), call)
    if (context[port] === undefined) {
      const message = `${tool.name} needs the "${port}" port, which this host does not provide. Work without this tool.`
      throw new ToolCallError('unavailable', message)
    }
  }
  return context
}

/**
 * `signal` is a getter because creating an AbortSignal costs more than the rest of a call, and most tools never read it.
 * It is an own property, so that a tool can pass on a copy of its context.
 */
class CallContext implements ToolCoreContext {
  static readonly #lazySignal = {
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
  readonly #call: ContextSource

  constructor(toolName: string, call: ContextSource) {
    const { queryTracking, agentId } = call.environment.contextOptions
    const { cwd, options } = call.location
    this.toolUseId = call.toolUse.id
    this.cwd = cwd
    this.abortController = call.cancellation.abortController
    this.messages = call.messages
    this.options = options
    this.queryTracking = queryTracking
    if (agentId !== undefined) this.agentId = agentId
    this.#toolName = toolName
    this.#call = call
    Object.defineProperty(this, 'signal', CallContext.#lazySignal)
  }

  /**
   * The tool's name if an allow rule covers the call, which is decided after the context was created. Copies of the context
   * lack it, so that they cannot pass the approval on.
   */
  get toolAllowedByRule(): string | undefined {
    return this.#call.isAllowedByRule ? this.#toolName : undefined
  }

  /** A getter, because the analysis changes when a hook or the user changes the input. */
  get command(): CommandAnalysis | undefined {
    return this.#call.command
  }
}

/** The part of the context that a call may change for later calls. */
export type ChangeableContext = Pick<ToolCoreContext, 'cwd' | 'options'>

/** The working directory and options that the next call starts with, after the changes by all ended calls. */
export class ContextChain {
  #current: ChangeableContext

  constructor(initialContext: ChangeableContext) {
    this.#current = initialContext
  }

  get current(): ChangeableContext {
    return this.#current
  }

  /** Returns whether anything changed. A modifier that fails changes nothing, because its call already has its result. */
  apply(modify: ContextModifier<Tool>, fixedContext: Omit<ToolCoreContext, keyof ChangeableContext>): boolean {
    try {
      const { cwd, options } = modify({ ...fixedContext, ...this.#current })
      if (typeof cwd !== 'string' || typeof options !== 'object' || options === null) return false
      if (cwd === this.#current.cwd && options === this.#current.options) return false
      this.#current = { cwd, options }
      return true
    } catch {
      return false
    }
  }
}
