import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './root.mjs'

let count = 0

/**
 * Bundles and imports a TypeScript module with the plugins of the build. Returns its exports.
 * @param {string} entry
 * @param {import('esbuild').Plugin[]} [plugins]
 */
export async function evaluate(entry, plugins = []) {
  // The file is inside node_modules, so that external packages resolve.
  const outfile = join(root, 'node_modules/.cache/haft', `evaluate-${process.pid}-${count++}.mjs`)
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins,
    logLevel: 'silent',
  })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    await rm(outfile, { force: true })
  }
}
