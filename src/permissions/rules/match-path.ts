import type { Certainty } from '../../shell/command-pattern.js'
import { foldForAllowing, foldForRestricting, withoutTrailers } from '../paths/fold-path.js'
import type { JudgedPath, Lookup } from '../paths/judge-path.js'
import { joinPath, normalisePath, splitPath } from '../paths/normalise-path.js'
import { type Place, startDirOf } from '../paths/place.js'
import { spellingsOf } from '../paths/working-directories.js'
import { type GlobPart, matchesGlob, parseGlobPart } from './match-glob.js'
import type { PathPattern } from './path-pattern.js'

/** Where rules count from, and the eyes that see through links on the way there. */
export interface RuleGround {
  readonly place: Place
  readonly lookup: Lookup
}

/**
 * For rules that restrict: whether any spelling of the path is one the rule means.
 * `maybe` is a folder in which such a path may lie.
 */
export async function pathMayMatch(pattern: PathPattern, path: JudgedPath, ground: RuleGround): Promise<Certainty> {
  const fold = (text: string) => foldForRestricting(text, path.isCaseInsensitive)
  const forms = path.forms.flatMap((form) => withTrimmed(form)).map((form) => splitPath(fold(form)))
  let reaches = false
  for (const root of await restrictingRoots(pattern, ground)) {
    const start = splitPath(fold(root.path))
    const parts = foldParts(root.parts, fold)
    for (const form of forms) {
      const rest = namesBelow(form, start)
      if (rest !== undefined && matchesGlob(parts, rest)) return 'yes'
      reaches ||= path.isFolder && (rest === undefined ? isPrefix(form, start) : mayMatchBelow(parts, rest))
    }
  }
  return reaches ? 'maybe' : 'no'
}

/**
 * For searches, which come by many paths: a test for any one spelling, with the links on the way to what the rule means
 * followed once.
 */
export async function restrictingTest(
  pattern: PathPattern,
  isCaseInsensitive: boolean,
  ground: RuleGround,
): Promise<(form: string) => boolean> {
  const fold = (text: string) => foldForRestricting(text, isCaseInsensitive)
  const roots = (await restrictingRoots(pattern, ground)).map(({ path, parts }) => ({
    start: splitPath(fold(path)),
    parts: foldParts(parts, fold),
  }))
  return (form) =>
    withTrimmed(form).some((spelling) => {
      const names = splitPath(fold(spelling))
      return roots.some(({ start, parts }) => {
        const rest = namesBelow(names, start)
        return rest !== undefined && matchesGlob(parts, rest)
      })
    })
}

/** For rules that allow: whether the rule surely means this one spelling of the path. */
export async function formIsCovered(
  pattern: PathPattern,
  form: string,
  path: JudgedPath,
  { place, lookup }: RuleGround,
): Promise<boolean> {
  if (path.problem !== undefined) return false
  const fold = (text: string) => foldForAllowing(text, path.isCaseInsensitive)
  // A folder is covered where all that lies in it is.
  const parts = foldParts(path.isFolder ? pattern.restricting : pattern.allowing, fold)
  const starts = await spellingsOf(baseOf(pattern, place, startDirOf(place)), place, lookup)
  return starts.some((start) => {
    // Links on the way below the start are not followed here: whoever plants one must not widen the rule.
    const root = joinPath([...splitPath(start), ...pattern.literal])
    const rest = namesBelow(splitPath(fold(form)), splitPath(fold(root)))
    return rest !== undefined && matchesGlob(parts, rest)
  })
}

interface Root {
  readonly path: string
  readonly parts: readonly GlobPart[]
}

/** The folders that the wildcards of a rule count from: as written, and where links on the way lead. */
async function restrictingRoots(pattern: PathPattern, { place, lookup }: RuleGround): Promise<readonly Root[]> {
  const starts = new Set([startDirOf(place), ...(pattern.base === 'start' ? [place.cwd] : [])])
  const roots: Root[] = []
  for (const start of starts) {
    const base = baseOf(pattern, place, start)
    for (const folder of await spellingsOf(base, place, lookup)) {
      const names = [...splitPath(folder), ...pattern.literal]
      for (const path of await spellingsOf(joinPath(names), place, lookup))
        roots.push({ path, parts: pattern.restricting })
      const single = floatingName(pattern)
      if (single === undefined) continue
      // What stands under the name right here may be a link: its target is meant, too.
      const targets = await spellingsOf(joinPath([...names, single]), place, lookup)
      roots.push(...targets.slice(1).map((path): Root => ({ path, parts: ['**'] })))
    }
  }
  return roots
}

function floatingName({ isFloating, restricting }: PathPattern): string | undefined {
  const part = restricting[1]
  return isFloating && part !== undefined && part !== '**' && part.tokens === undefined ? part.text : undefined
}

function baseOf({ base, up }: PathPattern, place: Place, start: string): string {
  const written =
    base === 'root' ? '/' : base === 'home' ? place.homeDir : base === 'project' ? (place.projectDir ?? start) : start
  if (base === 'root') return '/'
  const names = splitPath(normalisePath(written, place).path)
  return joinPath(names.slice(0, Math.max(0, names.length - up)))
}

function withTrimmed(form: string): readonly string[] {
  const trimmed = withoutTrailers(form)
  return trimmed === form ? [form] : [form, trimmed]
}

function foldParts(parts: readonly GlobPart[], fold: (text: string) => string): readonly GlobPart[] {
  return parts.map((part) => {
    if (part === '**') return part
    const text = fold(part.text)
    return text === part.text ? part : parseGlobPart(text)
  })
}

function namesBelow(path: readonly string[], folder: readonly string[]): readonly string[] | undefined {
  return isPrefix(folder, path) ? path.slice(folder.length) : undefined
}

function isPrefix(start: readonly string[], whole: readonly string[]): boolean {
  return start.length <= whole.length && start.every((name, at) => name === whole[at])
}

/** Whether some longer path could fit: every name so far fits, or a `**` comes first. */
function mayMatchBelow(parts: readonly GlobPart[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const part = parts[at]
    if (part === undefined) return false
    if (part === '**') return true
    if (!matchesGlob([part], [name])) return false
  }
  return true
}
