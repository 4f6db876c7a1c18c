import { checkTool } from '../contract/check-tool.js'
import { ToolDefinitionError } from '../contract/errors.js'
import type { Tool, Tools } from '../contract/tool.js'
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
      if (!(error instanceof ToolDefinitionError) || options.onProblem === undefined) throw error
      options.onProblem(error)
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
  takeNames(tool, taken)
  return tool
}
