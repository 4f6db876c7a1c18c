import type { ToolModes } from '../../../contract/tool/identity.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { constantTrait, hasDefault } from '../../../contract/tool/traits.js'
import { builtInTools } from '../../../tools/index.js'

/** What listing the tools needs to know of each of them. */
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
  /** Null where it depends on the input. */
  readonly readOnly: boolean | null
  readonly concurrencySafe: boolean | null
  /** Whether only the tool itself can tell if it is enabled. */
  readonly hasSwitch: boolean
}

/** The built-in tools in short. The build puts the value in place of this code, so that a listing loads no tool. */
export const toolManifest: readonly ManifestEntry[] = builtInTools.map(manifestEntry)

function manifestEntry(tool: Tool): ManifestEntry {
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
    readOnly: constantTrait(tool, 'isReadOnly'),
    concurrencySafe: constantTrait(tool, 'isConcurrencySafe'),
    hasSwitch: !hasDefault(tool, 'isEnabled'),
  }
}
