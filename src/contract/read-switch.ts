const YES = new Set(['1', 'true', 'yes', 'on'])
const NO = new Set(['0', 'false', 'no', 'off'])

/** The words for on and off that every variable takes; undefined for any other. */
export function readSwitch(written: string): boolean | undefined {
  const word = written.trim().toLowerCase()
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}
