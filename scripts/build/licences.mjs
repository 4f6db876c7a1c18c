import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { root } from './root.mjs'

/**
 * Writes the licences of all bundled packages to `LICENCES.txt` beside the bundle.
 * @param {import('esbuild').Metafile} metafile
 * @param {string} outdir
 */
export async function writeLicences(metafile, outdir) {
  const packages = new Set()
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  for (const [input, { bytesInOutput }] of inputs) {
    // The bundle contains nothing of this file.
    if (bytesInOutput === 0) continue
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]
    if (name !== undefined) packages.add(name)
  }
  const texts = await Promise.all([...packages].sort().map(readLicence))
  await writeFile(resolve(root, outdir, 'LICENCES.txt'), texts.join('\n\n'))
}

/** @param {string} name */
async function readLicence(name) {
  const folder = join(root, 'node_modules', name)
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`The bundled package ${name} has no licence file.`)
  return `${name}\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
}
