import type { Certainty } from '../../shell/patterns/match-command.js'
import { foldForAllowing, foldForRestricting, withoutTrailers } from '../paths/fold-path.js'
import type { JudgedPath, Lookup } from '../paths/judge-path.js'
import { joinPath, normalisePath, splitPath } from '../paths/normalise-path.js'
import { type Place, startDirOf } from '../paths/place.js'
import { spellingsOf } from '../paths/working-directories.js'
import { type GlobPart, matchesGlob, parseGlobPart } from './match-glob.js'
import type { PathPattern } from './path-pattern.js'

/** The folders that rules start from, and the lookup that resolves links. */
export interface RuleContext {
  readonly place: Place
  readonly lookup: Lookup
}

/**
 * For deny and ask rules: whether the rule matches any spelling of the path. `maybe` means that the path is a folder that may
 * contain a matching path.
 */
export async function pathMayMatch(pattern: PathPattern, path: JudgedPath, context: RuleContext): Promise<Certainty> {
  const fold = (text: string) => foldForRestricting(text, path.isCaseInsensitive)
  const forms = path.forms.flatMap((form) => withTrimmed(form)).map((form) => splitPath(fold(form)))
  let mayContainMatch = false
  for (const root of await findRestrictingRoots(pattern, context)) {
    const start = splitPath(fold(root.path))
    const parts = foldParts(root.parts, fold)
    for (const form of forms) {
      const namesInside = namesBelow(form, start)
      if (namesInside !== undefined && matchesGlob(parts, namesInside)) return 'yes'
      mayContainMatch ||=
        (path.isFolder || path.mayBeTree === true) &&
        (namesInside === undefined ? isPrefix(form, start) : mayMatchBelow(parts, namesInside))
    }
  }
  return mayContainMatch ? 'maybe' : 'no'
}

/**
 * For deny and ask rules in searches, which visit many paths: creates a test for one spelling of a path. The links in the path
 * of the rule are resolved only once.
 */
export async function createRestrictingTest(
  pattern: PathPattern,
  isCaseInsensitive: boolean,
  context: RuleContext,
): Promise<(form: string) => boolean> {
  const fold = (text: string) => foldForRestricting(text, isCaseInsensitive)
  const roots = (await findRestrictingRoots(pattern, context)).map(({ path, parts }) => ({
    start: splitPath(fold(path)),
    parts: foldParts(parts, fold),
  }))
  return (form) =>
    withTrimmed(form).some((spelling) => {
      const names = splitPath(fold(spelling))
      return roots.some(({ start, parts }) => {
        const namesInside = namesBelow(names, start)
        return namesInside !== undefined && matchesGlob(parts, namesInside)
      })
    })
}

/** For allow rules: whether the rule certainly matches this spelling of the path. */
export async function formIsCovered(
  pattern: PathPattern,
  form: string,
  path: JudgedPath,
  { place, lookup }: RuleContext,
): Promise<boolean> {
  if (path.problem !== undefined) return false
  const fold = (text: string) => foldForAllowing(text, path.isCaseInsensitive)
  // A folder is covered only if everything in it is.
  const parts = foldParts(path.isFolder ? pattern.restricting : pattern.allowing, fold)
  const starts = await spellingsOf(baseOf(pattern, place, startDirOf(place)), place, lookup)
  return starts.some((start) => {
    // Links below the start are not followed, so that creating a link cannot widen the rule.
    const root = joinPath([...splitPath(start), ...pattern.literal])
    const namesInside = namesBelow(splitPath(fold(form)), splitPath(fold(root)))
    return namesInside !== undefined && matchesGlob(parts, namesInside)
  })
}

interface Root {
  readonly path: string
  readonly parts: readonly GlobPart[]
}

/** Returns the folders that the wildcards of a rule start from: as written, and with links resolved. */
async function findRestrictingRoots(pattern: PathPattern, { place, lookup }: RuleContext): Promise<readonly Root[]> {
  const starts = new Set([startDirOf(place), ...(pattern.base === 'start' ? [place.cwd] : [])])
  const roots: Root[] = []
  for (const start of starts) {
    const base = baseOf(pattern, place, start)
    for (const folder of await spellingsOf(base, place, lookup)) {
      const names = [...splitPath(folder), ...pattern.literal]
      for (const path of await spellingsOf(joinPath(names), place, lookup))
        roots.push({ path, parts: pattern.restricting })
      const fixedName = floatingNameOf(pattern)
      if (fixedName === undefined) continue
      // A file of this name in the start folder may be a link. Then the rule covers its target as well.
      const targets = await spellingsOf(joinPath([...names, fixedName]), place, lookup)
      roots.push(...targets.slice(1).map((path): Root => ({ path, parts: ['**'] })))
    }
  }
  return roots
}

/** Returns the name that a pattern without slashes and wildcards covers at any depth; undefined for other patterns. */
function floatingNameOf({ isFloating, restricting }: PathPattern): string | undefined {
  const part = restricting[1]
  return isFloating && part !== undefined && part !== '**' && part.tokens === undefined ? part.text : undefined
}

/** Returns the folder that a pattern starts from. */
export function baseOf({ base, up }: PathPattern, place: Place, start: string): string {
  const baseFolder =
    base === 'root' ? '/' : base === 'home' ? place.homeDir : base === 'project' ? (place.projectDir ?? start) : start
  if (base === 'root') return '/'
  const names = splitPath(normalisePath(baseFolder, place).path)
  return joinPath(names.slice(0, Math.max(0, names.length - up)))
}

function withTrimmed(form: string): readonly string[] {
  const trimmed = withoutTrailers(form)
  return trimmed === form ? [form] : [form, trimmed]
}

export function foldParts(parts: readonly GlobPart[], fold: (text: string) => string): readonly GlobPart[] {
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

/** Whether a longer path could match, because every name so far matches or a `**` comes first. */
export function mayMatchBelow(parts: readonly GlobPart[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const part = parts[at]
    if (part === undefined) return false
    if (part === '**') return true
    if (!matchesGlob([part], [name])) return false
  }
  return true
}
