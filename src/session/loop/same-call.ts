import { isDeepStrictEqual } from 'node:util'
import type { ToolUseBlock } from '../../contract/messages.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'

/** Whether two calls ask for the same: by the tool's own measure, else by what its schema makes of the inputs. */
export function isSameCall(a: ToolUseBlock, b: ToolUseBlock, pool: Tools): boolean {
  if (a.name === b.name && isSameInput(a.input, b.input)) return true
  const tool = findToolByName(pool, a.name)
  if (tool === undefined || findToolByName(pool, b.name) !== tool) return false
  try {
    return areEquivalent(tool, parse(tool, a.input), parse(tool, b.input))
  } catch {
    // What a tool cannot compare is not known to be the same.
    return false
  }
}

/** By their texts first: most are small, and the other way loads a module of Node. */
function isSameInput(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) || isDeepStrictEqual(a, b)
}

function areEquivalent(tool: Tool, a: Parsed, b: Parsed): boolean {
  if (a === undefined || b === undefined) return false
  return tool.inputsEquivalent?.(a.value, b.value) === true || isDeepStrictEqual(a.value, b.value)
}

type Parsed = { readonly value: unknown } | undefined

/** Undefined where the input does not fit, or the schema has to be waited for. */
function parse(tool: Tool, input: unknown): Parsed {
  const result = tool.inputSchema['~standard'].validate(input)
  return result instanceof Promise || result.issues !== undefined ? undefined : { value: result.value }
}
