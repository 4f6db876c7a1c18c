import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './root.mjs'

let count = 0

/**
 * Runs a TypeScript module as this build would see it, and gives what it exports.
 * @param {string} entry
 * @param {import('esbuild').Plugin[]} [plugins]
 */
export async function evaluate(entry, plugins = []) {
  // Beside node_modules, so that what stays outside the bundle is found.
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
