import type { ToolCoreContext } from '../contract/tool/tool.js'
import { type ChangeableContext, ContextChain } from './call-context.js'
import type { CallEnvironment } from './call-environment.js'
import type { CallOutcome } from './call-outcome.js'
import type { Cancellation } from './cancellation.js'
import type { DeclaredResources } from './schedule/claims.js'

interface ModifyingCall extends Pick<ToolCoreContext, 'messages'> {
  readonly toolUse: { readonly id: string }
  readonly cancellation: Cancellation
  readonly outcome: CallOutcome | undefined
}

/** The working directory and options of the calls of one run, which earlier calls can change for later ones. */
export class RunContext {
  readonly #chain: ContextChain
  readonly #initial: ChangeableContext
  readonly #contextOptions: CallEnvironment['contextOptions']
  /** The number of leading calls whose context modifiers have been applied. */
  #appliedCount = 0
  /** The index of the last exclusive call: later calls are scheduled only after it, because it can change what any path means. */
  #barrierIndex = -1
  /** The index of the last call that may change the working directory: later calls that depend on it are scheduled only after it. */
  #cwdChangerIndex = -1

  /** Starts with the context of another call, or in a folder with the options of the environment. */
  constructor(start: ChangeableContext | string, { contextOptions }: CallEnvironment) {
    this.#initial = typeof start === 'string' ? { cwd: start, options: contextOptions.options } : start
    this.#chain = new ContextChain(this.#initial)
    this.#contextOptions = contextOptions
  }

  get current(): ChangeableContext {
    return this.#chain.current
  }

  /** The modifier that makes the same changes to another context, if anything changed. */
  get effect(): Pick<CallOutcome, 'contextModifier'> {
    const { current } = this.#chain
    return current === this.#initial ? {} : { contextModifier: (context) => ({ ...context, ...current }) }
  }

  /** Registers a scheduled call that may change the context of later calls. */
  expectChange(index: number, { changesCwd }: DeclaredResources, isExclusive: boolean): void {
    if (isExclusive) this.#barrierIndex = index
    if (changesCwd) this.#cwdChangerIndex = index
  }

  /** Whether the context of a call with these resources may still change. */
  isTooEarlyFor({ usesCwd }: DeclaredResources): boolean {
    return this.#barrierIndex >= this.#appliedCount || (usesCwd && this.#cwdChangerIndex >= this.#appliedCount)
  }

  /**
   * Applies the modifiers of ended calls in call order, once all earlier calls have ended: concurrent calls never see
   * each other's changes. Returns whether anything changed.
   */
  applyModifiers(calls: readonly ModifyingCall[], endedCount: number): boolean {
    let hasChanged = false
    while (this.#appliedCount < endedCount) {
      const call = calls[this.#appliedCount++]
      const modify = call?.outcome?.contextModifier
      if (call === undefined || modify === undefined) continue
      const { toolUse, messages, cancellation } = call
      const { abortController, signal } = cancellation
      const fixedContext = { toolUseId: toolUse.id, messages, abortController, signal, ...this.#contextOptions }
      if (this.#chain.apply(modify, fixedContext)) hasChanged = true
    }
    return hasChanged
  }
}
