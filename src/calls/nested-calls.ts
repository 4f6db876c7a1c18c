import type { ToolUseBlock } from '../contract/messages.js'
import type { CallableTool, CallsPort, NestedCallOptions, NestedOutcome } from '../contract/ports/calls.js'
import { isMcpTool } from '../contract/tool/identity.js'
import { overridePort } from '../shared/override-port.js'
import type { CallEnvironment, NestedTools } from './call-environment.js'
import type { CallOutcome } from './call-outcome.js'
import type { Cancellation, CancelReason, TimeLimit } from './cancellation.js'

/** The call whose tool makes nested calls. */
interface OuterCall {
  readonly toolUse: Pick<ToolUseBlock, 'id'>
  readonly toolName: string
  readonly cancellation: Cancellation
  /** Whether the tool has returned or was abandoned. */
  readonly isOver: boolean
}

/** The run of the calls that the tool of one call makes. */
export interface NestedRun {
  /** Adds a call and waits for its outcome. */
  perform(toolUse: ToolUseBlock, options?: NestedCallOptions): Promise<CallOutcome>
  interrupt(message?: string): unknown
  cancel(reason: CancelReason): void
  /** Cancels the calls that have not ended, and accepts no further ones. */
  close(reason: CancelReason): void
  waitUntilSettled(): Promise<void>
  readonly effects: NestedEffects
}

/** What nested calls change for the calls after the outer one, and add to the conversation. */
export type NestedEffects = Pick<CallOutcome, 'newMessages' | 'contextModifier'>

/**
 * The `calls` port of one call: its tool makes nested calls in a run of their own. They cannot block the outer call,
 * because they wait only for each other; what the outer call claimed keeps other calls of the message away from them.
 */
export class NestedCalls implements CallsPort {
  readonly #outerCall: OuterCall
  readonly #tools: NestedTools
  readonly #openRun: () => NestedRun
  #run: NestedRun | undefined
  #count = 0
  #isClosed = false

  constructor(outerCall: OuterCall, tools: NestedTools, openRun: () => NestedRun) {
    this.#outerCall = outerCall
    this.#tools = tools
    this.#openRun = openRun
  }

  list(): readonly CallableTool[] {
    return this.#tools.directory().tools.map((tool) => ({
      name: tool.name,
      isMcp: isMcpTool(tool),
      ...(tool.searchHint !== undefined && { hint: tool.searchHint }),
    }))
  }

  describe(name: string): ReturnType<CallsPort['describe']> {
    return this.#tools.describe(name)
  }

  search(query: string, options: { readonly maxResults: number }): Promise<readonly string[]> {
    return this.#tools.search(query, options)
  }

  async call(name: string, input: unknown, options?: NestedCallOptions): Promise<NestedOutcome> {
    const id = `${this.#outerCall.toolUse.id}.${++this.#count}`
    const { toolName, cancellation, isOver } = this.#outerCall
    if (this.#isClosed || isOver || cancellation.reason !== undefined) return createLateOutcome(id, toolName)
    let outcome: CallOutcome
    try {
      outcome = await this.#open().perform({ type: 'tool_use', id, name, input }, options)
    } catch {
      // The runtime was disposed of, which closes every run.
      return createLateOutcome(id, toolName)
    }
    const { block, error, output, mcpMeta } = outcome
    return {
      toolUseId: id,
      result: block,
      ...(output !== undefined && { data: output }),
      ...(error !== undefined && { errorCode: error.code }),
      ...(error?.toolErrorCode !== undefined && { toolErrorCode: error.toolErrorCode }),
      ...(mcpMeta !== undefined && { mcpMeta }),
    }
  }

  interrupt(message?: string): void {
    this.#run?.interrupt(message)
  }

  /** Ends the nested calls that still run, and waits for their outcomes. */
  async close(): Promise<NestedEffects> {
    this.#isClosed = true
    const run = this.#run
    if (run === undefined) return {}
    run.close({ type: 'aborted', message: `${this.#outerCall.toolName} ended before this call did.` })
    await run.waitUntilSettled()
    return run.effects
  }

  #open(): NestedRun {
    if (this.#run !== undefined) return this.#run
    const run = this.#openRun()
    this.#run = run
    const { cancellation } = this.#outerCall
    const cancelRun = () => run.cancel(cancellation.reason ?? { type: 'aborted' })
    cancellation.signal.addEventListener('abort', cancelRun, { once: true })
    return run
  }
}

function createLateOutcome(toolUseId: string, toolName: string): NestedOutcome {
  const content = `${toolName} has ended and can make no further calls.`
  const result = { type: 'tool_result', tool_use_id: toolUseId, content, is_error: true } as const
  return { toolUseId, result, errorCode: 'cancelled' }
}

interface AskingCall {
  readonly run: {
    askInTurn<T>(call: AskingCall, ask: () => Promise<T>): Promise<T>
    countWaitingQuestions(): number
  }
  readonly timeLimit: TimeLimit | undefined
}

/** Questions about nested calls are asked in the turn of the outer call, whose time limit does not pass meanwhile. */
export class OuterTurn<C extends AskingCall> {
  readonly #outerCall: C

  constructor(outerCall: C) {
    this.#outerCall = outerCall
  }

  ask<T>(question: () => Promise<T>): Promise<T> {
    const { run, timeLimit } = this.#outerCall
    const askForOuterCall = () => run.askInTurn(this.#outerCall, question)
    return timeLimit?.pauseDuring(askForOuterCall) ?? askForOuterCall()
  }

  get waitingCount(): number {
    return this.#outerCall.run.countWaitingQuestions()
  }
}

/** Creates the environment of nested calls: other tools can be called, and their schemas count as known. */
export function createNestedEnvironment(environment: CallEnvironment): CallEnvironment {
  const { nestedTools } = environment
  if (nestedTools === undefined) return environment
  return overridePort(environment, { directory: () => nestedTools.directory(), isSchemaSent: () => true })
}
