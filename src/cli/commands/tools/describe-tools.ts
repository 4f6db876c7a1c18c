import { type PoolDefinitions, toolDefinitions } from '../../../assembly/tool-definitions.js'
import { createPermissionContext } from '../../../contract/permission/context.js'
import type { Tools } from '../../../contract/tool/tool.js'

/** What a model would be told of these tools. */
export function describeTools(tools: Tools): Promise<PoolDefinitions> {
  return toolDefinitions(tools, { toolPermissionContext: createPermissionContext(), agentDefinitions: [] })
}
