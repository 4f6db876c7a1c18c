import type { ToolModes } from '../../../contract/tool/identity.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { getConstantTrait, hasDefault } from '../../../contract/tool/traits.js'
import { builtInTools } from '../../../tools/index.js'

/** The properties of a tool that decide whether and how `haft tools` lists it. */
export interface ManifestEntry {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly searchHint?: string
  readonly shouldDefer?: boolean
  readonly alwaysLoad?: boolean
  readonly findsTools?: boolean
  readonly startsAgents?: boolean
  readonly modes?: ToolModes
  readonly requiredPrograms?: readonly string[]
  /** Whether calls are read-only and may run concurrently. Null if that depends on the input. */
  readonly readOnly: boolean | null
  readonly concurrencySafe: boolean | null
  /** Whether the tool has its own `isEnabled`. */
  readonly hasSwitch: boolean
}

/** The manifest of the built-in tools. The build replaces this code with its value, so that listing the tools does not load them. */
export const toolManifest: readonly ManifestEntry[] = builtInTools.map(toManifestEntry)

function toManifestEntry(tool: Tool): ManifestEntry {
  return {
    name: tool.name,
    ...(tool.aliases && { aliases: tool.aliases }),
    ...(tool.searchHint && { searchHint: tool.searchHint }),
    ...(tool.shouldDefer && { shouldDefer: true }),
    ...(tool.alwaysLoad && { alwaysLoad: true }),
    ...(tool.findsTools && { findsTools: true }),
    ...(tool.startsAgents && { startsAgents: true }),
    ...(tool.modes && { modes: tool.modes }),
    ...(tool.requiredPrograms && { requiredPrograms: tool.requiredPrograms }),
    readOnly: getConstantTrait(tool, 'isReadOnly'),
    concurrencySafe: getConstantTrait(tool, 'isConcurrencySafe'),
    hasSwitch: !hasDefault(tool, 'isEnabled'),
  }
}
