import type { AssemblyTool } from '../../../assembly/create-assembly.js'
import { gateTools } from '../../../assembly/offer-tools.js'
import { ENVIRONMENT_FLAGS, type Environment } from '../../../contract/flags.js'
import { type ManifestEntry, toolManifest } from './tool-manifest.js'

export type ListedTool = ManifestEntry & AssemblyTool

/** The built-in tools as the manifest has them; the tools themselves are loaded only if one must say whether it is enabled. */
export async function listedTools(environment: Environment): Promise<readonly ListedTool[]> {
  // One that the environment leaves out is never asked.
  const possible = gateTools(toolManifest, ENVIRONMENT_FLAGS, (flag) => environment[flag as keyof Environment])
  const switches = possible.some(({ hasSwitch }) => hasSwitch) ? await loadSwitches() : undefined
  return toolManifest.map((entry) => ({ ...entry, isEnabled: switches?.get(entry.name) ?? (() => true) }))
}

async function loadSwitches(): Promise<ReadonlyMap<string, () => boolean>> {
  const { builtInTools } = await import('../../../tools/index.js')
  return new Map(builtInTools.map((tool) => [tool.name, () => tool.isEnabled()]))
}
