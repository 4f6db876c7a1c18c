import { createAssembly } from '../../../assembly/create-assembly.js'
import { readEnvironment } from '../../../assembly/read-environment.js'
import type { Environment } from '../../../contract/flags.js'
import { createPermissionContext } from '../../../contract/permission/context.js'
import type { Tool, Tools } from '../../../contract/tool/tool.js'
import { programFinder } from '../../../ports/program-finder.js'
import type { CommandIo } from '../../command.js'
import { findServedTools } from '../../find-served-tools.js'
import type { ServedValues } from '../../served-options.js'
import { type ListedTool, listedTools } from './listed-tools.js'

export interface CurrentPool {
  readonly pool: readonly ListedTool[]
  readonly environment: Environment
  /** Those of the pool that servers have. */
  readonly served: Tools
}

/** The tools that exist now, in the order they are sent, and the flags that say so. */
export async function currentPool(io: CommandIo, values: ServedValues, variables = io.variables): Promise<CurrentPool> {
  const { environment, warnings } = readEnvironment(variables, io.platform)
  for (const warning of warnings) io.err(`haft: ${warning}\n`)
  const assembly = createAssembly({
    baseTools: await listedTools(environment),
    env: environment,
    isInstalled: programFinder(variables),
  })
  const served = await findServedTools(io, values)
  return { pool: assembly.assembleToolPool(createPermissionContext(), served.map(listed)), environment, served }
}

/** What a server says of its tool holds for every call of it. */
function listed({ name, searchHint, alwaysLoad, mcpInfo, isReadOnly, isConcurrencySafe }: Tool): ListedTool {
  return {
    name,
    isMcp: true,
    ...(mcpInfo && { mcpInfo }),
    ...(searchHint !== undefined && { searchHint }),
    ...(alwaysLoad && { alwaysLoad }),
    readOnly: isReadOnly({}),
    concurrencySafe: isConcurrencySafe({}),
    hasSwitch: false,
    isEnabled: () => true,
  }
}
