import { isToolDefinitionError, ToolDefinitionError } from '../contract/errors.js'
import { LazySchema } from '../contract/schema.js'
import { checkTool } from '../contract/tool/check-tool.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import { reasonOf } from '../shared/reason-of.js'
import { type TakenNames, takeNames } from './take-names.js'

/**
 * Takes in tools from elsewhere, made by `buildTool` or by hand.
 * Without `onProblem` the first mistake throws; with it, each wrong tool is reported and left out, and the others work.
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
    throw new ToolDefinitionError('member_missing', '(no name)', 'tool', 'is not an object; make it with buildTool.')
  }
  checkTool(candidate)
  const tool = candidate as Tool
  // A lazy schema is looked at when it is first needed: building all of them would cost every start-up.
  if (!(tool.inputSchema instanceof LazySchema)) inputJSONSchemaOf(tool)
  takeNames(tool, taken)
  return tool
}

/** Whatever a foreign object does when it is looked at, it takes no other tool along. */
function unusable(cause: unknown): ToolDefinitionError {
  const reason = reasonOf(cause)
  return new ToolDefinitionError('member_invalid', '(no name)', 'tool', `cannot be looked at: ${reason}`, { cause })
}
