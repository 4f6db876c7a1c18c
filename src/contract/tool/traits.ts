import { watchAccess } from '../../shared/watch-access.js'
import type { PermissionResult } from '../permission/result.js'
import type { Tool, ToolContext } from './tool.js'

/**
 * Predicates asked so that a throw, or an answer that is no boolean, counts as the answer that is safe.
 * Everything outside a tool asks through here.
 */
export function isToolEnabled(tool: Pick<Tool, 'isEnabled'>): boolean {
  return answer(() => tool.isEnabled()) === true
}

export function isCallReadOnly(tool: Pick<Tool, 'isReadOnly'>, input: unknown): boolean {
  return answer(() => tool.isReadOnly(input)) === true
}

export function isCallConcurrencySafe(tool: Pick<Tool, 'isConcurrencySafe'>, input: unknown): boolean {
  return answer(() => tool.isConcurrencySafe(input)) === true
}

export function isCallDestructive(tool: Pick<Tool, 'isDestructive'>, input: unknown): boolean {
  return answer(() => tool.isDestructive(input)) !== false
}

/** A check that fails becomes a question; where nobody can answer, the permission system turns that into a denial. */
export async function checkCallPermissions(
  tool: Pick<Tool, 'name' | 'checkPermissions'>,
  input: unknown,
  context: ToolContext,
): Promise<PermissionResult<any>> {
  try {
    const result = await tool.checkPermissions(input, context)
    if (BEHAVIORS.has(result?.behavior)) return result
  } catch {
    // The reason stays with the tool's author: the person deciding needs to know only that there is none.
  }
  return {
    behavior: 'ask',
    message: `${tool.name} could not check its own permission for this call.`,
    reason: { type: 'tool', text: 'checkPermissions failed' },
  }
}

const BEHAVIORS: ReadonlySet<unknown> = new Set(['allow', 'deny', 'ask', 'passthrough'])

function answer(ask: () => unknown): unknown {
  try {
    return ask()
  } catch {
    return undefined
  }
}

/** What a predicate says whatever the input is; null where it looks at the input. */
export function constantTrait(tool: Tool, trait: 'isReadOnly' | 'isConcurrencySafe'): boolean | null {
  const input = watchAccess({})
  const says = trait === 'isReadOnly' ? isCallReadOnly(tool, input.value) : isCallConcurrencySafe(tool, input.value)
  return input.wasTouched() ? null : says
}

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
