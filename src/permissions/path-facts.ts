import type { MaybePromise } from '../shared/maybe-promise.js'
import { isNetworkShare } from '../shared/network-share.js'

/** What the file system says about one path, whether or not anything is there yet. */
interface PathLook {
  /** The path with every symlink resolved as far as it exists; a dangling link is followed to where it points. */
  readonly realPath: string
  readonly isFolder: boolean
  /** Whether names that differ only in letter case mean the same file here. */
  readonly isCaseInsensitive: boolean
}

/**
 * The only way in which permission decisions see the file system. Paths given are absolute and normalised:
 * no `..`, no doubled slash, forward slashes on every platform, never a network share.
 */
export interface PathFacts {
  look(path: string): MaybePromise<PathLook>
}

/** Looks at each path once for a decision; undefined where the file system gives no answer. */
export type Lookup = (path: string) => Promise<PathLook | undefined>

export function createLookup(facts: PathFacts): Lookup {
  let known: Map<string, Promise<PathLook | undefined>> | undefined
  return (path) => {
    known ??= new Map()
    let look = known.get(path)
    if (look === undefined) {
      look = lookOnce(facts, path)
      known.set(path, look)
    }
    return look
  }
}

async function lookOnce(facts: PathFacts, path: string): Promise<PathLook | undefined> {
  if (isNetworkShare(path)) return undefined
  try {
    const look = await facts.look(path)
    return typeof look?.realPath === 'string' ? look : undefined
  } catch {
    // A path that cannot be looked at is one that cannot be judged: the caller asks.
    return undefined
  }
}
