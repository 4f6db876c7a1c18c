import { isNetworkShare } from './network-share.js'
import { quote } from './quote.js'

/** Why a path is refused before anybody looks at the disk; undefined where nothing speaks against it. */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\0')) return `${quote(path)} holds a NUL character, which no path can have.`
  if (isNetworkShare(path))
    return `${quote(path)} is on a network share, which is never opened: looking there can give away credentials. Ask the user for a local copy.`
  return undefined
}
