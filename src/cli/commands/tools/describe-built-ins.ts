import { type PoolDefinitions, toolDefinitions } from '../../../assembly/tool-definitions.js'
import { createPermissionContext } from '../../../contract/permission-context.js'
import type { Tools } from '../../../contract/tool.js'
import { builtInTools } from '../../../tools/index.js'

/** What a model would be told of those built-in tools that are chosen. */
export function describeBuiltIns(choose: (tools: Tools) => Tools): Promise<PoolDefinitions> {
  return toolDefinitions(choose(builtInTools), {
    toolPermissionContext: createPermissionContext(),
    agentDefinitions: [],
  })
}
