/**
 * Loads a package that is installed here and nowhere else; nobody who checks the code needs it.
 * @param {string} name
 * @returns {Promise<any>}
 */
export function importPeer(name) {
  return import(name)
}
