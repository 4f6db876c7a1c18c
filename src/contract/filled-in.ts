import type { Tool } from './tool.js'

/** Whether a member is the one that `buildTool` filled in: a default `checkPermissions` is no opinion of the tool. */
export function hasDefault<K extends DefaultedFunction>(tool: Pick<Tool, K>, member: K): boolean {
  return (tool[member] as { [FILLED_IN]?: true })[FILLED_IN] === true
}

type DefaultedFunction = 'isEnabled' | 'isConcurrencySafe' | 'isReadOnly' | 'isDestructive' | 'checkPermissions'

/** Known to every copy of this package: a plugin may have brought its own, with functions of its own. */
const FILLED_IN = Symbol.for('haft.filled-in')

/** Marks a function that stands in for one that the author left out. */
export function filledIn<F extends (...args: never[]) => unknown>(fill: F): F {
  return Object.freeze(Object.assign(fill, { [FILLED_IN]: true }))
}
