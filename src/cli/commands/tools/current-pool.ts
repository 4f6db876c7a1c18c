import { type AssemblyTool, createAssembly } from '../../../assembly/create-assembly.js'
import { gateTools } from '../../../assembly/offer-tools.js'
import { readEnvironment } from '../../../assembly/read-environment.js'
import { ENVIRONMENT_FLAGS, type Environment } from '../../../contract/flags.js'
import { createPermissionContext } from '../../../contract/permission/context.js'
import type { Tool, Tools } from '../../../contract/tool/tool.js'
import { findProgram } from '../../../system/find-program.js'
import type { CommandIo } from '../../io/command.js'
import type { ServedValues } from '../../options/served-options.js'
import { findServedTools } from '../../tool-session/find-served-tools.js'
import { type ManifestEntry, toolManifest } from './tool-manifest.js'

export interface CurrentPool {
  readonly pool: readonly ListedTool[]
  readonly environment: Environment
  /** The tools of MCP servers in the pool. */
  readonly servedTools: Tools
}

/** Returns the available tools in the order in which they are sent to a model, and the environment flags. */
export async function loadCurrentPool(
  io: CommandIo,
  values: ServedValues,
  variables = io.variables,
): Promise<CurrentPool> {
  const { environment, warnings } = readEnvironment(variables, io.platform)
  for (const warning of warnings) io.err(`haft: ${warning}\n`)
  const assembly = createAssembly({
    baseTools: await listBuiltInTools(environment),
    env: environment,
    isInstalled: (program) => findProgram(program, variables) !== undefined,
  })
  const servedTools = await findServedTools(io, values)
  return {
    pool: assembly.assembleToolPool(createPermissionContext(), servedTools.map(toListedTool)),
    environment,
    servedTools,
  }
}

/** Describes an MCP tool for the list. Its traits do not depend on its input, so an empty input is used. */
function toListedTool({ name, searchHint, alwaysLoad, mcpInfo, isReadOnly, isConcurrencySafe }: Tool): ListedTool {
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

export type ListedTool = ManifestEntry & AssemblyTool

/** Returns the built-in tools from the manifest. The tools are only loaded if one has its own `isEnabled`. */
async function listBuiltInTools(environment: Environment): Promise<readonly ListedTool[]> {
  // All tools are loaded only if a tool that the environment allows has its own `isEnabled`.
  const possibleTools = gateTools(toolManifest, ENVIRONMENT_FLAGS, (flag) => environment[flag as keyof Environment])
  const switches = possibleTools.some(({ hasSwitch }) => hasSwitch) ? await loadSwitches() : undefined
  return toolManifest.map((entry) => ({ ...entry, isEnabled: switches?.get(entry.name) ?? (() => true) }))
}

async function loadSwitches(): Promise<ReadonlyMap<string, () => boolean>> {
  const { builtInTools } = await import('../../../tools/index.js')
  return new Map(builtInTools.map((tool) => [tool.name, () => tool.isEnabled()]))
}
