import { parse, resolve, sep } from 'node:path'

/** As many as systems follow in one path. */
const MAX_LINKS = 40

/** Links that may still be followed for one path, whichever way they branch. */
export interface LinkBudget {
  linksLeft: number
}

export function newLinkBudget(): LinkBudget {
  return { linksLeft: MAX_LINKS }
}

export interface LinkSteps {
  readonly from: string
  /** One name after the other, each to be resolved before the next. */
  readonly names: readonly string[]
}

/** The way that a link's target goes from the folder of the link: `..` leaves what a link leads to, not the link. */
export function linkSteps(folder: string, target: string): LinkSteps {
  const { root } = parse(target)
  const names = target.slice(root.length).split(sep === '\\' ? /[\\/]/ : sep)
  return { from: resolve(folder, root), names: names.filter((name) => name !== '' && name !== '.') }
}
