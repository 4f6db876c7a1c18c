import type { CallFacts } from './call-facts.js'
import { isWithin, type JudgedPath } from './judge-path.js'
import { normalisePath } from './normalise-path.js'
import { type Place, startDirOf } from './place.js'
import { protectedBy } from './protected-files.js'

/** Names the write that neither a mode nor an allow rule lets through unasked. */
export function protectedWrite({ writes, place }: CallFacts): string | undefined {
  for (const path of writes) {
    const what = protectedBy(path, place.protectedPaths)
    if (what !== undefined) return `${path.written} is ${what}`
    // A folder that is written as a whole may hold any of them.
    if (/[\\/]$/.test(path.written)) return `all of ${path.written} may be written, whatever it holds`
    if (path.isFolder && holdsSettings(path, place)) return `${path.written} holds the settings that bind this call`
  }
  return undefined
}

/** A folder above the project or the home folder: to move or delete it would take the rules along. */
function holdsSettings({ forms }: JudgedPath, place: Place): boolean {
  const homes = [startDirOf(place), place.projectDir ?? place.cwd, place.homeDir].map(
    (dir) => normalisePath(dir, place).path,
  )
  return homes.some((home) => forms.some((form) => form !== home && isWithin(home, form, true)))
}
