/**
 * Loads a package that is installed only in this folder. Returns `any`, so that the type check works without the package.
 * @param {string} name
 * @returns {Promise<any>}
 */
export function importPeer(name) {
  return import(name)
}
