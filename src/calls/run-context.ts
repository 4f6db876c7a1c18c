import type { ToolCoreContext } from '../contract/tool/tool.js'
import { type ChangeableContext, ContextChain } from './call-context.js'
import type { CallEnvironment, CallingAgent } from './call-environment.js'
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

  /** Starts with the context of another call, or with the folder and the changed options of an agent. */
  constructor(
    start: ChangeableContext | Pick<CallingAgent, 'cwd' | 'changedOptions'>,
    { contextOptions }: CallEnvironment,
  ) {
    this.#initial =
      'options' in start
        ? start
        : { cwd: start.cwd, options: overrideOptions(contextOptions.options, start.changedOptions) }
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

  /**
   * The options that modifiers have changed, for later messages. What the host computes anew for every message (tools, commands,
   * servers: getters) is not among them.
   */
  get changedOptions(): CallingAgent['changedOptions'] {
    const { options: base } = this.#contextOptions
    const computed = new Set(
      Object.entries(Object.getOwnPropertyDescriptors(base)).flatMap(([name, { get }]) =>
        get === undefined ? [] : [name],
      ),
    )
    const changed = Object.entries(this.#chain.current.options).filter(
      ([name, value]) => !computed.has(name) && value !== base[name as keyof typeof base],
    )
    return Object.fromEntries(changed)
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

type Options = ToolCoreContext['options']

/** Replaces some options. Getters of the others are kept, because their values can change. */
function overrideOptions(options: Options, overrides: Partial<Options>): Options {
  if (Object.keys(overrides).length === 0) return options
  const descriptors = { ...Object.getOwnPropertyDescriptors(options), ...Object.getOwnPropertyDescriptors(overrides) }
  return Object.defineProperties({}, descriptors) as Options
}
