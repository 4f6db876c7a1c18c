/** How a text was found: the stricter, the earlier. */
export const EDIT_STRATEGIES = [
  'verbatim',
  'line endings',
  'trailing white space',
  'indentation',
  'look-alikes',
  'escapes',
] as const

export type EditStrategy = (typeof EDIT_STRATEGIES)[number]
