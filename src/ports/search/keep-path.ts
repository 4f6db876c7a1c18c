import type { SearchRoot } from './open-root.js'

/** Whether a path that ripgrep printed is to be given. */
export type KeepPath = (printed: Buffer) => boolean

/** What ripgrep cannot see to by itself; undefined where it has seen to everything. */
export function keepPath(
  root: SearchRoot,
  fits: RegExp | undefined,
  isHidden: ((path: string) => boolean) | undefined,
): KeepPath | undefined {
  if (fits === undefined && isHidden === undefined) return undefined
  return (printed) => {
    if (fits !== undefined && !fits.test(printed.toString('utf8'))) return false
    return isHidden?.(root.absolute(printed)) !== true
  }
}
