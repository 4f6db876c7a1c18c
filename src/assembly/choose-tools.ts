import { type ToolIdentity, toolMatchesName } from '../contract/tool/identity.js'
import { didYouMean } from '../shared/did-you-mean.js'
import { quote } from '../shared/quote.js'

/** A named choice of tools: a list of names, or all there are. */
export type ToolPresets = Readonly<Record<string, readonly string[] | 'all'>>

/** Hosts extend this by giving `chooseTools` a table of their own. */
export const TOOL_PRESETS: ToolPresets = { default: 'all' }

/** A choice that names neither a preset nor a tool. */
export class UnknownToolChoiceError extends Error {
  override readonly name = 'UnknownToolChoiceError'
}

/** The tools that `--tools` names: a preset, tool names, or both, with commas between them. */
export function chooseTools<T extends ToolIdentity>(
  tools: readonly T[],
  choice: string,
  presets: ToolPresets = TOOL_PRESETS,
): readonly T[] {
  const wanted = choice
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const chosen = new Set<T>()
  for (const part of wanted) for (const tool of expand(tools, part, presets)) chosen.add(tool)
  return tools.filter((tool) => chosen.has(tool))
}

function expand<T extends ToolIdentity>(tools: readonly T[], part: string, presets: ToolPresets): readonly T[] {
  const preset = Object.hasOwn(presets, part) ? presets[part] : undefined
  if (preset === 'all') return tools
  if (preset !== undefined) return tools.filter((tool) => preset.some((name) => toolMatchesName(tool, name)))
  const named = tools.filter((tool) => toolMatchesName(tool, part))
  if (named.length > 0) return named
  const advice = didYouMean(part, [...Object.keys(presets), ...tools.map(({ name }) => name)])
  throw new UnknownToolChoiceError(`No tool or preset is called ${quote(part)}.${advice}`)
}
