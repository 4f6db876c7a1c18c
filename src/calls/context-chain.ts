import type { ContextModifier } from '../contract/tool/context.js'
import type { Tool, ToolCoreContext } from '../contract/tool/tool.js'

/** The part of the context that a call may change for later calls. */
export type ChangeableContext = Pick<ToolCoreContext, 'cwd' | 'options'>

/** The context as the ended calls left it. */
export class ContextChain {
  #current: ChangeableContext

  constructor(first: ChangeableContext) {
    this.#current = first
  }

  get current(): ChangeableContext {
    return this.#current
  }

  /** Returns whether anything changed. A modifier that fails changes nothing, because its call already has its result. */
  apply(modify: ContextModifier<Tool>, rest: Omit<ToolCoreContext, keyof ChangeableContext>): boolean {
    try {
      const { cwd, options } = modify({ ...rest, ...this.#current })
      if (typeof cwd !== 'string' || typeof options !== 'object' || options === null) return false
      if (cwd === this.#current.cwd && options === this.#current.options) return false
      this.#current = { cwd, options }
      return true
    } catch {
      return false
    }
  }
}
