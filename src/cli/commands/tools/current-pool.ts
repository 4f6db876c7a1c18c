import { createAssembly } from '../../../assembly/create-assembly.js'
import { readEnvironment } from '../../../assembly/read-environment.js'
import type { Environment } from '../../../contract/flags.js'
import { createPermissionContext } from '../../../contract/permission-context.js'
import type { CommandIo } from '../../command.js'
import { type ListedTool, listedTools } from './listed-tools.js'

/** The tools that exist now, in the order they are sent, and the flags that say so. */
export async function currentPool(
  io: CommandIo,
  variables = io.variables,
): Promise<{ readonly pool: readonly ListedTool[]; readonly environment: Environment }> {
  const { environment, warnings } = readEnvironment(variables, io.platform)
  for (const warning of warnings) io.err(`haft: ${warning}\n`)
  const assembly = createAssembly({ baseTools: await listedTools(environment), env: environment })
  return { pool: assembly.assembleToolPool(createPermissionContext(), []), environment }
}
