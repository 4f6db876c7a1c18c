import type { CallFacts } from './call-facts.js'
import { isWithin, type JudgedPath } from './judge-path.js'
import { normalisePath } from './normalise-path.js'
import { type Place, startDirOf } from './place.js'
import { protectedBy } from './protected-files.js'
import { shortPath } from './short-path.js'

/** Names the write that neither a mode nor an allow rule lets through unasked. */
export function protectedWrite({ writes, place, folders }: CallFacts): string | undefined {
  for (const path of writes) {
    const what = protectedBy(path, place.protectedPaths)
    const name = shortPath(path.written)
    if (what !== undefined) return `${name} is ${what}`
    // A folder that is written as a whole may hold any of them.
    if (/[\\/]$/.test(path.written)) return `all of ${name} may be written, whatever it holds`
    if (holdsSettings(path, place, folders)) return `${name} holds the settings that bind this call`
    if (path.holds !== undefined) return `${name} holds ${path.holds}`
  }
  return undefined
}

/** A working directory, the project or the home folder, or one above: to move or delete it would take the rules along. */
function holdsSettings({ forms }: JudgedPath, place: Place, folders: readonly string[]): boolean {
  const homes = [startDirOf(place), place.projectDir ?? place.cwd, place.homeDir].map(
    (dir) => normalisePath(dir, place).path,
  )
  return [...homes, ...folders].some((home) => forms.some((form) => isWithin(home, form, true)))
}
