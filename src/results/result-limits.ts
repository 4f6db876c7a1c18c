import { DEFAULT_MAX_RESULT_SIZE_CHARS } from '../contract/limits.js'
import { findToolByName, type ToolIdentity } from '../contract/tool/identity.js'
import type { ToolSerialisation } from '../contract/tool/tool.js'

/** The `maxResultSizeChars` of a tool by its name or alias; the default for one that is not there, or no longer. */
export function resultLimits(
  tools: readonly (ToolIdentity & Pick<ToolSerialisation<never>, 'maxResultSizeChars'>)[],
): (toolName: string | undefined) => number {
  return (toolName) => {
    const tool = toolName === undefined ? undefined : findToolByName(tools, toolName)
    return tool?.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS
  }
}
