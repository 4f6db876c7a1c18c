import { type ToolIdentity, toolMatchesName } from '../contract/tool/identity.js'
import { didYouMean } from '../shared/nearest-names.js'
import { quote } from '../shared/quote.js'

/** Named sets of tools: a list of names, or `all`. */
export type ToolPresets = Readonly<Record<string, readonly string[] | 'all'>>

/** The default presets. Hosts pass their own table to `chooseTools`. */
export const TOOL_PRESETS: ToolPresets = { default: 'all' }

/** Thrown if the choice contains a name that is neither a preset nor a tool. */
export class UnknownToolChoiceError extends Error {
  override readonly name = 'UnknownToolChoiceError'
}

/** Selects tools by a comma-separated list of presets and tool names, as in `--tools`. */
export function chooseTools<T extends ToolIdentity>(
  tools: readonly T[],
  choice: string,
  presets: ToolPresets = TOOL_PRESETS,
): readonly T[] {
  const choices = choice
    .split(',')
    .map((choiceItem) => choiceItem.trim())
    .filter((choiceItem) => choiceItem !== '')
  const chosenTools = new Set<T>()
  for (const choiceItem of choices) for (const tool of expandChoice(tools, choiceItem, presets)) chosenTools.add(tool)
  return tools.filter((tool) => chosenTools.has(tool))
}

function expandChoice<T extends ToolIdentity>(
  tools: readonly T[],
  choiceItem: string,
  presets: ToolPresets,
): readonly T[] {
  const preset = Object.hasOwn(presets, choiceItem) ? presets[choiceItem] : undefined
  if (preset === 'all') return tools
  if (preset !== undefined) return tools.filter((tool) => preset.some((name) => toolMatchesName(tool, name)))
  const matchingTools = tools.filter((tool) => toolMatchesName(tool, choiceItem))
  if (matchingTools.length > 0) return matchingTools
  const advice = didYouMean(choiceItem, [...Object.keys(presets), ...tools.map(({ name }) => name)])
  throw new UnknownToolChoiceError(`Unknown tool or preset ${quote(choiceItem)}.${advice}`)
}
