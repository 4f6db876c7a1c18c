/** Two slashes of either kind name a server: merely looking there can send credentials to it. */
const NETWORK_SHARE = /^(?:[\\/]{2}|[\\/]\?\?[\\/])/

export function isNetworkShare(path: string): boolean {
  return NETWORK_SHARE.test(path)
}
