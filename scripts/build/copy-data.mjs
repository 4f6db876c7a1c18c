import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { root } from './root.mjs'

/**
 * Puts the tables that the tool search reads at run time into a folder `data`, where bundles below or beside it look.
 * @param {string} folder
 */
export async function copyData(folder) {
  await cp(join(root, 'src/tool-search/rank/data'), resolve(root, folder, 'data'), { recursive: true })
}
