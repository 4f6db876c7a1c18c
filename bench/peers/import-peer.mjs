/**
 * Loads a package that is installed only in this folder. The type checker does not need it.
 * @param {string} name
 * @returns {Promise<any>}
 */
export function importPeer(name) {
  return import(name)
}
