import { parse, resolve, sep } from 'node:path'

/** The limit of Linux for one path. */
const MAX_LINKS = 40

/** How many more links may be followed for one path, across all branches. */
export interface LinkBudget {
  linksLeft: number
}

export function createLinkBudget(): LinkBudget {
  return { linksLeft: MAX_LINKS }
}

export interface LinkSteps {
  readonly from: string
  /** Path segments, each to be resolved before the next. */
  readonly names: readonly string[]
}

/** The segments of a link target, from the folder of the link. `..` is relative to the target of a link, not to the link itself. */
export function splitLinkTarget(folder: string, target: string): LinkSteps {
  const { root } = parse(target)
  const names = target.slice(root.length).split(sep === '\\' ? /[\\/]/ : sep)
  return { from: resolve(folder, root), names: names.filter((name) => name !== '' && name !== '.') }
}
