import { isPathInside } from '../shared/path-containment.js'
import { joinPath, leaveFolder, normalisePath, splitPath } from './normalise-path.js'
import type { Lookup } from './path-facts.js'
import type { Place } from './place.js'
import { shortPath } from './short-path.js'

/** A path that a call touches, as a tool or an analysis wrote it. */
export interface TouchedPath {
  readonly written: string
  /** The call touches whatever lies below. */
  readonly isFolder: boolean
}

/** A path with everything that decides what may be done there. */
export interface JudgedPath {
  readonly written: string
  /** Every absolute path that this may be: as text, and with links resolved. The strictest of them counts. */
  readonly forms: readonly string[]
  readonly isFolder: boolean
  readonly isCaseInsensitive: boolean
  /** A protected folder that lies in this one; looked for only where the folder is written. */
  readonly holds?: string
  /** Why the path could not be judged; nothing but a person's answer gets past this. */
  readonly problem?: string
}

/** Finds what a path really is: the link and its target, `..` by the text and by the links before it, `~` both ways. */
export async function judgePath(touched: TouchedPath, place: Place, lookup: Lookup): Promise<JudgedPath> {
  const { written } = touched
  const spellings = await Promise.all(readings(written, place).map((text) => judgeReading(text, place, lookup)))
  const problem = spellings.find((spelling) => spelling.problem !== undefined)?.problem
  return {
    written,
    forms: [...new Set(spellings.flatMap(({ forms }) => forms))],
    isFolder: touched.isFolder || spellings.some(({ isFolder }) => isFolder),
    isCaseInsensitive: spellings.some(({ isCaseInsensitive }) => isCaseInsensitive),
    ...(problem !== undefined && { problem }),
  }
}

/** Whether a tool expands `~` is its own business, so both meanings are judged. */
function readings(written: string, { homeDir }: Place): readonly string[] {
  if (written !== '~' && !/^~[\\/]/.test(written)) return [written]
  return [`./${written}`, homeDir + written.slice(1)]
}

async function judgeReading(text: string, place: Place, lookup: Lookup): Promise<Omit<JudgedPath, 'written'>> {
  const { path, steps, problem } = normalisePath(text, place)
  if (problem !== undefined) return { forms: [path], isFolder: false, isCaseInsensitive: true, problem }
  const look = await lookup(path)
  const behindLinks = await resolveSteps(steps, place, lookup)
  const behindLook = behindLinks === undefined ? undefined : await lookup(behindLinks)
  if (look === undefined || behindLook === undefined) {
    const why = `${shortPath(text)} could not be looked up`
    return { forms: [path], isFolder: false, isCaseInsensitive: true, problem: why }
  }
  const looks = [look, behindLook]
  return {
    forms: [path, ...looks.map(({ realPath }) => toSlashes(realPath, place))],
    isFolder: looks.some(({ isFolder }) => isFolder),
    isCaseInsensitive: looks.some(({ isCaseInsensitive }) => isCaseInsensitive),
  }
}

/** Follows `..` as the system does: from where the links before it lead, not from where the text stands. */
async function resolveSteps(steps: readonly string[], place: Place, lookup: Lookup): Promise<string | undefined> {
  let names: string[] = []
  for (const step of steps) {
    if (step !== '..') {
      names.push(step)
      continue
    }
    const look = await lookup(joinPath(names))
    if (look === undefined) return undefined
    names = splitPath(toSlashes(look.realPath, place))
    leaveFolder(names)
  }
  return joinPath(names)
}

export function toSlashes(path: string, { platform }: Pick<Place, 'platform'>): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string, isCaseInsensitive: boolean): boolean {
  return isPathInside(path, folder, { isCaseInsensitive })
}
