import { type PoolDefinitions, toolDefinitions } from '../../../assembly/tool-definitions.js'
import { createPermissionContext } from '../../../contract/permission/context.js'
import type { Tools } from '../../../contract/tool/tool.js'

/** Returns the definitions of these tools as sent to a model. */
export function describeTools(tools: Tools): Promise<PoolDefinitions> {
  return toolDefinitions(tools, { toolPermissionContext: createPermissionContext(), agentDefinitions: [] })
}
