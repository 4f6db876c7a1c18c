import { reachOf } from '../../contract/tool/reach.js'
import type { CallFacts } from '../facts/call-facts.js'
import { isWithin, type JudgedPath } from '../paths/judge-path.js'
import { normalisePath, shortPath } from '../paths/normalise-path.js'
import { type Place, startDirOf } from '../paths/place.js'
import { protectedBy, protectedMention } from '../paths/protected-files.js'

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

/** Output to nowhere, or from one open stream to another, writes no file. */
const HARMLESS = /(?:\d|&)?>>?\s*\/dev\/null(?=[\s;|&)]|$)|\d?>&\d(?=[\s;|&)]|$)/g
const WRITES = />|\btee\b/
/** A key as `<Enter>` or `<C-c>`: none of them types a sign that a shell writes by, and one that does not exist is refused. */
const KEY = /^<(?:[A-Za-z0-9]+|[CMS]-[^>]+)>$/
/** A hidden name that is not all there yet, as `~/.bash*`. */
const HALF_A_NAME = /(?:^|[\s/=])\.[\w.-]*[*?[{$`]/

/**
 * Says why a command that was not understood must be asked about whatever allows it: nobody can tell what it writes,
 * so writing at all, or the name of a protected file, is enough.
 */
export function unresolvedWrite({ command, areFilesUnknown, input, place, tool }: CallFacts): string | undefined {
  if (command === undefined || !areFilesUnknown) return undefined
  const typesKeys = reachOf(tool).typesKeystrokes
  const isPlain = (text: string) => !typesKeys || !KEY.test(text)
  const whole = command.text.trim() === '' ? textsIn(input).filter(isPlain).join('\n') : command.text
  const text = whole.replace(HARMLESS, ' ')
  const mention = protectedMention(text, place.protectedPaths)
  if (mention !== undefined) return `the command is not understood and names ${mention}`
  if (HALF_A_NAME.test(text)) return 'the command is not understood and may name a protected file'
  return WRITES.test(text) ? 'the command is not understood and writes a file' : undefined
}

/** Every text of an input whose command stands under a name that nobody knows. */
function textsIn(input: unknown): readonly string[] {
  const texts: string[] = []
  JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts
}
