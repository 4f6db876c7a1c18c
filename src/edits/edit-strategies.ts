/** The ways to find the old text in a file, from the strictest to the loosest. */
export const EDIT_STRATEGIES = [
  'verbatim',
  'line endings',
  'trailing white space',
  'indentation',
  'look-alikes',
  'escapes',
] as const

export type EditStrategy = (typeof EDIT_STRATEGIES)[number]
