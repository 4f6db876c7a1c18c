import { quote } from './quote.js'

/** A home folder in shell syntax: `~`, `~/…` or `~user/…`. Without a slash, `~draft` is the name of a file. */
const HOME_FOLDER = /^~[\w.-]*\/|^~$/
const LEADING_SLASHES = /^\/{3,}(?!\/)/

/** No supported operating system accepts longer paths, and judging one would need a multiple of its size in memory. */
export const MAX_PATH_LENGTH = 32_768

/** Each folder of a path that does not exist, and each `..`, is looked up separately, which blocks the event loop. */
const MAX_STEPS = 128
const MAX_PARENT_STEPS = 16

/** Whether looking up a path would take too long. No project needs such a path. */
export function isTooLongToLookUp(path: string): boolean {
  if (path.length > MAX_PATH_LENGTH) return true
  const steps = path.split(/[\\/]/).filter((step) => step !== '' && step !== '.')
  return steps.length > MAX_STEPS || steps.filter((step) => step === '..').length > MAX_PARENT_STEPS
}

/** Returns why a path is refused without accessing the disk, and what to send instead; undefined if it is acceptable. */
export function findPathProblem(path: string): string | undefined {
  if (path.includes('\0')) return `${quote(path)} contains a NUL character, which is not allowed in a path. Remove it.`
  if (LEADING_SLASHES.test(path))
    return `${quote(path)} begins with several slashes, which can name a server. For the local file send ${quote(path.replace(/^\/+/, '/'))}.`
  if (isNetworkShare(path))
    return `${quote(path)} is on a network share, which is never opened, because that could send credentials to the server. Ask the user for a local copy.`
  if (/^file:\//i.test(path)) return describeUrlProblem(path)
  if (HOME_FOLDER.test(path))
    return `${quote(path)} begins with "~", which only a shell expands to the home folder. Send the absolute path; for a folder with this literal name, send ${quote(`./${path}`)}.`
  return undefined
}

function describeUrlProblem(url: string): string {
  const localFile = toLocalPath(url)
  const advice = localFile === undefined ? 'Send the path of a local file.' : `Send ${quote(localFile)}.`
  return `${quote(url)} is a URL, not a path. ${advice}`
}

function toLocalPath(url: string): string | undefined {
  try {
    const { host, pathname } = new URL(url)
    return host === '' || host === 'localhost' ? decodeURIComponent(pathname) : undefined
  } catch {
    // Not a valid URL.
    return undefined
  }
}

/** Paths with two leading slashes, or with `\??\`, can name a server: accessing them can send credentials to it. */
const NETWORK_SHARE = /^(?:[\\/]{2}|[\\/]\?\?[\\/])/

export function isNetworkShare(path: string): boolean {
  return NETWORK_SHARE.test(path)
}
