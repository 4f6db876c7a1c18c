/** Paths with two leading slashes name a server: accessing them can send credentials to it. */
const NETWORK_SHARE = /^(?:[\\/]{2}|[\\/]\?\?[\\/])/

export function isNetworkShare(path: string): boolean {
  return NETWORK_SHARE.test(path)
}
