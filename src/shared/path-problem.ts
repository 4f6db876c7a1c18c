import { quote } from './quote.js'

/** A home folder in shell syntax. A file may be named `~draft`. */
const HOME = /^~[\w.-]*\/|^~$/
const MANY_SLASHES = /^\/{3,}(?!\/)/

/** Why a path is refused without accessing the disk, and what to send instead; undefined if it is acceptable. */
export function pathProblem(path: string): string | undefined {
  if (path.includes('\0')) return `${quote(path)} contains a NUL character, which is not allowed in a path.`
  if (MANY_SLASHES.test(path))
    return `${quote(path)} begins with several slashes, which can name a server. For the local file send ${quote(path.replace(/^\/+/, '/'))}.`
  if (isNetworkShare(path))
    return `${quote(path)} is on a network share, which is never opened, because that could send credentials to the server. Ask the user for a local copy.`
  if (/^file:\//i.test(path)) return addressProblem(path)
  if (HOME.test(path))
    return `${quote(path)} begins with "~", which only a shell expands to the home folder. Send the absolute path; for a folder with this literal name, send ${quote(`./${path}`)}.`
  return undefined
}

function addressProblem(address: string): string {
  const local = localPath(address)
  const advice = local === undefined ? 'Send the path of a local file.' : `Send ${quote(local)}.`
  return `${quote(address)} is a URL, not a path. ${advice}`
}

function localPath(address: string): string | undefined {
  try {
    const { host, pathname } = new URL(address)
    return host === '' || host === 'localhost' ? decodeURIComponent(pathname) : undefined
  } catch {
    // Not a valid URL.
    return undefined
  }
}

/** Paths with two leading slashes name a server: accessing them can send credentials to it. */
const NETWORK_SHARE = /^(?:[\\/]{2}|[\\/]\?\?[\\/])/

export function isNetworkShare(path: string): boolean {
  return NETWORK_SHARE.test(path)
}
