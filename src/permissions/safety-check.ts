import type { CallFacts } from './call-facts.js'
import { protectedBy } from './protected-files.js'

/** Names the write that neither a mode nor an allow rule lets through unasked. */
export function protectedWrite({ writes, place }: CallFacts): string | undefined {
  for (const path of writes) {
    const what = protectedBy(path, place.protectedPaths)
    if (what !== undefined) return `${path.written} is ${what}`
    // A folder that is written as a whole may hold any of them.
    if (/[\\/]$/.test(path.written)) return `all of ${path.written} may be written, whatever it holds`
  }
  return undefined
}
