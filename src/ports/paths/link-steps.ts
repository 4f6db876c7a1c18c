import { parse, resolve, sep } from 'node:path'

/** The maximum number of links that Linux follows in one path. */
const MAX_LINKS = 40

/** How many more links may be followed for one path, counted over all links in it. */
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

/**
 * Splits a link target into steps, starting at the folder of the link. `..` is relative to the target of a link, not to the
 * link itself.
 */
export function splitLinkTarget(folder: string, target: string): LinkSteps {
  const { root } = parse(target)
  const names = target.slice(root.length).split(sep === '\\' ? /[\\/]/ : sep)
  return { from: resolve(folder, root), names: names.filter((name) => name !== '' && name !== '.') }
}
