import type { AssemblyTool } from '../../../assembly/create-assembly.js'
import { type ManifestEntry, toolManifest } from './tool-manifest.js'

export type ListedTool = ManifestEntry & AssemblyTool

/** The built-in tools as the manifest has them; the tools themselves are loaded only if one must say whether it is enabled. */
export async function listedTools(): Promise<readonly ListedTool[]> {
  const switches = toolManifest.some(({ hasSwitch }) => hasSwitch) ? await loadSwitches() : undefined
  return toolManifest.map((entry) => ({ ...entry, isEnabled: switches?.get(entry.name) ?? (() => true) }))
}

async function loadSwitches(): Promise<ReadonlyMap<string, () => boolean>> {
  const { builtInTools } = await import('../../../tools/index.js')
  return new Map(builtInTools.map((tool) => [tool.name, () => tool.isEnabled()]))
}
