/** How the old text was found, from the strictest strategy to the loosest. */
export const EDIT_STRATEGIES = [
  'verbatim',
  'line endings',
  'trailing white space',
  'indentation',
  'look-alikes',
  'escapes',
] as const

export type EditStrategy = (typeof EDIT_STRATEGIES)[number]
