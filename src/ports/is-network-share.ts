const NETWORK_SHARE = /^[\\/]{2}/

/** Whether a path is a share of another machine, or a device: looking at it alone can send credentials there. */
export function isNetworkShare(path: string): boolean {
  return NETWORK_SHARE.test(path)
}
