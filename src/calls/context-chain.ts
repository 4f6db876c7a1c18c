import type { ContextModifier } from '../contract/tool/context.js'
import type { Tool, ToolCoreContext } from '../contract/tool/tool.js'

/** What one call may change for those after it. */
export type ChangeableContext = Pick<ToolCoreContext, 'cwd' | 'options'>

/** The context as the calls that have ended left it. */
export class ContextChain {
  #current: ChangeableContext

  constructor(first: ChangeableContext) {
    this.#current = first
  }

  get current(): ChangeableContext {
    return this.#current
  }

  /** Tells whether anything changed. A modifier that fails changes nothing: its call has been answered already. */
  apply(modify: ContextModifier<Tool>, around: Omit<ToolCoreContext, keyof ChangeableContext>): boolean {
    try {
      const { cwd, options } = modify({ ...around, ...this.#current })
      if (typeof cwd !== 'string' || typeof options !== 'object' || options === null) return false
      if (cwd === this.#current.cwd && options === this.#current.options) return false
      this.#current = { cwd, options }
      return true
    } catch {
      return false
    }
  }
}
