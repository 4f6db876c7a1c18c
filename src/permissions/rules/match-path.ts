import type { Certainty } from '../../shell/patterns/match-command.js'
import { foldForAllowing, foldForRestricting, withoutTrailers } from '../paths/fold-path.js'
import type { JudgedPath, Lookup } from '../paths/judge-path.js'
import { joinPath, normalisePath, type PathContext, splitPath, startDirOf } from '../paths/normalise-path.js'
import { spellingsOf } from '../paths/working-directories.js'
import { type GlobPart, matchesGlob, parseGlobPart } from './match-glob.js'
import type { PathPattern } from './path-pattern.js'

/** The folders that rules start from, and the lookup that resolves links. */
export interface RuleContext {
  readonly pathContext: PathContext
  readonly lookup: Lookup
}

/**
 * Whether a deny or ask rule matches any spelling of the path. `maybe` means that the path is a folder that may contain a
 * matching path.
 */
export async function matchJudgedPath(
  pattern: PathPattern,
  path: JudgedPath,
  context: RuleContext,
): Promise<Certainty> {
  const fold = (text: string) => foldForRestricting(text, path.isCaseInsensitive)
  const forms = path.forms.flatMap((form) => addTrimmedForm(form)).map((form) => splitPath(fold(form)))
  let mayContainMatch = false
  for (const root of await findRestrictingRoots(pattern, context)) {
    const start = splitPath(fold(root.path))
    const parts = foldParts(root.parts, fold)
    for (const form of forms) {
      const namesInside = listNamesBelow(form, start)
      if (namesInside !== undefined && matchesGlob(parts, namesInside)) return 'yes'
      mayContainMatch ||=
        (path.isFolder || path.mayBeTree === true) &&
        (namesInside === undefined ? isPrefix(form, start) : mayMatchBelow(parts, namesInside))
    }
  }
  return mayContainMatch ? 'maybe' : 'no'
}

/**
 * Whether a shell pattern in the folder `path` may match a file that a deny or ask rule covers, even one that does not exist
 * yet. Undefined if that depends on the existing files.
 */
export async function matchGlobNames(
  pattern: PathPattern,
  path: JudgedPath,
  context: RuleContext,
): Promise<'no' | 'maybe' | undefined> {
  const fold = (text: string) => foldForRestricting(text, path.isCaseInsensitive)
  const globs = path.globs ?? []
  let answer: 'no' | undefined = 'no'
  for (const root of await findRestrictingRoots(pattern, context)) {
    const start = splitPath(fold(root.path))
    for (const form of path.forms.map((text) => splitPath(fold(text)))) {
      const names = listNamesBelow([...start, ...literalNamesOf(root.parts)], form)
      if (names === undefined || names.length === 0) answer = undefined
      else if (globs.some((glob) => glob.every((name, at) => at >= names.length || name.test(names[at] ?? ''))))
        return 'maybe'
    }
  }
  return answer
}

/** Returns the literal name at the start of the parts of a rule; empty if they start with a wildcard. */
function literalNamesOf(parts: readonly GlobPart[]): readonly string[] {
  const [first, second] = parts
  if (first === undefined) return []
  // The name may be at any depth. Only the shallowest place is compared.
  if (first === '**') return second === undefined || second === '**' || second.tokens !== undefined ? [] : [second.text]
  return first.tokens === undefined ? [first.text] : []
}

/**
 * Creates a test of a deny or ask rule for one spelling of a path, for searches, which visit many paths. The links in the path
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
    addTrimmedForm(form).some((spelling) => {
      const names = splitPath(fold(spelling))
      return roots.some(({ start, parts }) => {
        const namesInside = listNamesBelow(names, start)
        return namesInside !== undefined && matchesGlob(parts, namesInside)
      })
    })
}

/** Whether an allow rule certainly matches this spelling of the path. */
export async function isFormCovered(
  pattern: PathPattern,
  form: string,
  path: JudgedPath,
  { pathContext, lookup }: RuleContext,
): Promise<boolean> {
  if (path.problem !== undefined) return false
  const fold = (text: string) => foldForAllowing(text, path.isCaseInsensitive)
  // A pattern such as `src/**`, which covers everything in a folder, also covers the folder itself.
  const parts = foldParts(path.isFolder ? pattern.restrictingParts : pattern.allowingParts, fold)
  const startPaths = await spellingsOf(baseOf(pattern, pathContext, startDirOf(pathContext)), pathContext, lookup)
  return startPaths.some((start) => {
    // Links below the start are not followed, so that creating a link cannot widen the rule.
    const root = joinPath([...splitPath(start), ...pattern.literalNames])
    const namesInside = listNamesBelow(splitPath(fold(form)), splitPath(fold(root)))
    return namesInside !== undefined && matchesGlob(parts, namesInside)
  })
}

interface PatternRoot {
  readonly path: string
  readonly parts: readonly GlobPart[]
}

/** Returns the folders that the wildcards of a rule start from: as written, and with links resolved. */
async function findRestrictingRoots(
  pattern: PathPattern,
  { pathContext, lookup }: RuleContext,
): Promise<readonly PatternRoot[]> {
  const startFolders = new Set([startDirOf(pathContext), ...(pattern.base === 'start' ? [pathContext.cwd] : [])])
  const roots: PatternRoot[] = []
  for (const start of startFolders) {
    const baseFolder = baseOf(pattern, pathContext, start)
    for (const folder of await spellingsOf(baseFolder, pathContext, lookup)) {
      const names = [...splitPath(folder), ...pattern.literalNames]
      for (const path of await spellingsOf(joinPath(names), pathContext, lookup))
        roots.push({ path, parts: pattern.restrictingParts })
      const fixedName = floatingNameOf(pattern)
      if (fixedName === undefined) continue
      // A file of this name in the start folder may be a link. Then the rule covers its target as well.
      const targets = await spellingsOf(joinPath([...names, fixedName]), pathContext, lookup)
      roots.push(...targets.slice(1).map((path): PatternRoot => ({ path, parts: ['**'] })))
    }
  }
  return roots
}

/** Returns the name that a pattern without slashes and wildcards covers at any depth; undefined for other patterns. */
function floatingNameOf({ isFloating, restrictingParts }: PathPattern): string | undefined {
  const part = restrictingParts[1]
  return isFloating && part !== undefined && part !== '**' && part.tokens === undefined ? part.text : undefined
}

/** Returns the folder that a pattern starts from. */
export function baseOf({ base, parentCount }: PathPattern, pathContext: PathContext, start: string): string {
  const baseFolder =
    base === 'root'
      ? '/'
      : base === 'home'
        ? pathContext.homeDir
        : base === 'project'
          ? (pathContext.projectDir ?? start)
          : start
  if (base === 'root') return '/'
  const names = splitPath(normalisePath(baseFolder, pathContext).path)
  return joinPath(names.slice(0, Math.max(0, names.length - parentCount)))
}

function addTrimmedForm(form: string): readonly string[] {
  const trimmedForm = withoutTrailers(form)
  return trimmedForm === form ? [form] : [form, trimmedForm]
}

export function foldParts(parts: readonly GlobPart[], fold: (text: string) => string): readonly GlobPart[] {
  return parts.map((part) => {
    if (part === '**') return part
    const text = fold(part.text)
    return text === part.text ? part : parseGlobPart(text)
  })
}

function listNamesBelow(path: readonly string[], folder: readonly string[]): readonly string[] | undefined {
  return isPrefix(folder, path) ? path.slice(folder.length) : undefined
}

function isPrefix(prefix: readonly string[], names: readonly string[]): boolean {
  return prefix.length <= names.length && prefix.every((name, at) => name === names[at])
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
