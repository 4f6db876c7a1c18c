import { isToolDefinitionError, ToolDefinitionError } from '../contract/errors.js'
import { LazySchema } from '../contract/schema.js'
import { checkTool } from '../contract/tool/check-tool.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import type { Tool, Tools } from '../contract/tool/tool.js'
import { reasonOf } from '../shared/reason-of.js'
import { type TakenNames, takeNames } from './take-names.js'

/**
 * Checks the tools of a host, which may be built with `buildTool` or by hand.
 * Without `onProblem` the first invalid tool throws; with it, each invalid tool is reported and left out.
 */
export function registerTools(
  tools: readonly unknown[],
  options: { onProblem?: (problem: ToolDefinitionError) => void } = {},
): Tools {
  const registeredTools: Tool[] = []
  const takenNames: TakenNames = new Map()
  for (const candidate of tools) {
    try {
      registeredTools.push(checkCandidate(candidate, takenNames))
    } catch (error) {
      const problem = isToolDefinitionError(error) ? error : toProblem(error)
      if (options.onProblem === undefined) throw problem
      options.onProblem(problem)
    }
  }
  return Object.freeze(registeredTools)
}

function checkCandidate(candidate: unknown, takenNames: TakenNames): Tool {
  if (typeof candidate !== 'object' || candidate === null) {
    throw new ToolDefinitionError('member_missing', '(no name)', 'tool', 'is not an object; build it with buildTool.')
  }
  checkTool(candidate)
  const tool = candidate as Tool
  // A lazy schema is checked on first use: building all of them would slow down every start.
  if (!(tool.inputSchema instanceof LazySchema)) inputJSONSchemaOf(tool)
  takeNames(tool, takenNames)
  return tool
}

/** Converts an error that was thrown while a candidate was inspected, for example by a getter. */
function toProblem(cause: unknown): ToolDefinitionError {
  const reason = reasonOf(cause)
  return new ToolDefinitionError('member_invalid', '(no name)', 'tool', `cannot be inspected: ${reason}`, { cause })
}
