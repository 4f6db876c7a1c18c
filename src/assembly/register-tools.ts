import { isToolDefinitionError, ToolDefinitionError } from '../contract/errors.js'
import { LazySchema } from '../contract/schema.js'
import { checkTool } from '../contract/tool/check-tool.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import { reasonOf } from '../shared/reason-of.js'
import { type TakenNames, takeNames } from './take-names.js'

/**
 * Checks tools of a host, built with `buildTool` or by hand.
 * Without `onProblem` the first invalid tool throws; with it, each invalid tool is reported and left out.
 */
export function registerTools(
  tools: readonly unknown[],
  options: { onProblem?: (problem: ToolDefinitionError) => void } = {},
): Tools {
  const registered: Tool[] = []
  const taken: TakenNames = new Map()
  for (const candidate of tools) {
    try {
      registered.push(checked(candidate, taken))
    } catch (error) {
      const problem = isToolDefinitionError(error) ? error : unusable(error)
      if (options.onProblem === undefined) throw problem
      options.onProblem(problem)
    }
  }
  return Object.freeze(registered)
}

function checked(candidate: unknown, taken: TakenNames): Tool {
  if (typeof candidate !== 'object' || candidate === null) {
    throw new ToolDefinitionError('member_missing', '(no name)', 'tool', 'is not an object; build it with buildTool.')
  }
  checkTool(candidate)
  const tool = candidate as Tool
  // A lazy schema is checked on first use: building all of them would slow down every start.
  if (!(tool.inputSchema instanceof LazySchema)) inputJSONSchemaOf(tool)
  takeNames(tool, taken)
  return tool
}

/** An object that throws on property access must not affect the other tools. */
function unusable(cause: unknown): ToolDefinitionError {
  const reason = reasonOf(cause)
  return new ToolDefinitionError('member_invalid', '(no name)', 'tool', `cannot be inspected: ${reason}`, { cause })
}
