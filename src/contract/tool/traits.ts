import type { CommandAnalysis } from '../command.js'
import type { DecisionReason, PermissionResult } from '../permission/result.js'
import type { Tool, ToolContext } from './tool.js'
import { watchAccess } from './watch-access.js'

/**
 * Whether a tool is enabled. Like the other functions here, it evaluates a predicate of a tool so that an exception or
 * a result that is not a boolean counts as the safe answer. Code outside a tool should call these functions instead of
 * the predicates.
 */
export function isToolEnabled(tool: Pick<Tool, 'isEnabled'>): boolean {
  return evaluate(() => tool.isEnabled()) === true
}

/** Whether a call only reads; false if that is unknown. `command` is the analysis of the command that it runs. */
export function isCallReadOnly(tool: Pick<Tool, 'isReadOnly'>, input: unknown, command?: CommandAnalysis): boolean {
  return evaluate(() => tool.isReadOnly(input, command)) === true
}

/** Whether a call may run in parallel with others; false if that is unknown. */
export function isCallConcurrencySafe(
  tool: Pick<Tool, 'isConcurrencySafe'>,
  input: unknown,
  command?: CommandAnalysis,
): boolean {
  return evaluate(() => tool.isConcurrencySafe(input, command)) === true
}

/** Whether a call may destroy data; true if that is unknown. */
export function isCallDestructive(
  tool: Pick<Tool, 'isDestructive'>,
  input: unknown,
  command?: CommandAnalysis,
): boolean {
  return evaluate(() => tool.isDestructive(input, command)) !== false
}

/** Whether a call may reach anything outside this machine; true if that is unknown, false if the tool does not state it. */
function isCallOpenWorld(tool: Pick<Tool, 'isOpenWorld'>, input: unknown, command?: CommandAnalysis): boolean {
  return tool.isOpenWorld !== undefined && evaluate(() => tool.isOpenWorld?.(input, command)) !== false
}

/** Whether a message of the user may interrupt a running call; false if that is unknown. */
export function isInterruptible(tool: Pick<Tool, 'interruptBehavior'>): boolean {
  return evaluate(() => tool.interruptBehavior?.()) === 'cancel'
}

/** Whether a call needs the user, so that neither a mode nor a classifier may answer in their place; true if unknown. */
export function requiresUser(tool: Pick<Tool, 'requiresUserInteraction'>): boolean {
  return tool.requiresUserInteraction !== undefined && evaluate(() => tool.requiresUserInteraction?.()) !== false
}

/** Runs `checkPermissions`. A failure becomes a question, which is a denial if there is no user to ask. */
export async function checkCallPermissions(
  tool: Pick<Tool, 'name' | 'checkPermissions'>,
  input: unknown,
  context: ToolContext,
): Promise<PermissionResult<any>> {
  try {
    const result = await tool.checkPermissions(input, context)
    if (PERMISSION_BEHAVIORS.has(result?.behavior)) return result
  } catch {
    // The error is of no use to the user, who only needs to know that the check failed.
  }
  return {
    behavior: 'ask',
    message: `${tool.name} needs approval: its own permission check failed.`,
    reason: FAILED_CHECK_REASON,
  }
}

/** The reason for asking if the tool's own permission check failed. */
export const FAILED_CHECK_REASON: DecisionReason = Object.freeze({ type: 'tool', text: 'checkPermissions failed' })

const PERMISSION_BEHAVIORS: ReadonlySet<unknown> = new Set(['allow', 'deny', 'ask', 'passthrough'])

function evaluate(predicate: () => unknown): unknown {
  try {
    return predicate()
  } catch {
    return undefined
  }
}

/** Returns the value of a predicate that does not depend on the input or its command, or null if it does. */
export function getConstantTrait(tool: Tool, trait: keyof typeof TRAITS): boolean | null {
  const input = watchAccess({})
  const command = watchAccess({} as CommandAnalysis)
  const value = TRAITS[trait](tool, input.value, command.value)
  return input.wasRead() || command.wasRead() ? null : value
}

const TRAITS = {
  isReadOnly: isCallReadOnly,
  isConcurrencySafe: isCallConcurrencySafe,
  isDestructive: isCallDestructive,
  isOpenWorld: isCallOpenWorld,
}

/** Whether a member is the default of `buildTool`. A default `checkPermissions` leaves the decision to the rules. */
export function hasDefault<K extends DefaultedFunction>(tool: Pick<Tool, K>, member: K): boolean {
  return (tool[member] as { [DEFAULT_MARK]?: true })[DEFAULT_MARK] === true
}

type DefaultedFunction =
  | 'isEnabled'
  | 'isConcurrencySafe'
  | 'isReadOnly'
  | 'isDestructive'
  | 'checkPermissions'
  | 'renderToolUseMessage'

/** Shared by all copies of this package, because a plugin may bundle its own copy. */
const DEFAULT_MARK = Symbol.for('haft.default')

/** Marks a function as a default, for `hasDefault`. */
export function markDefault<F extends (...args: never[]) => unknown>(defaultFunction: F): F {
  return Object.freeze(Object.assign(defaultFunction, { [DEFAULT_MARK]: true }))
}
