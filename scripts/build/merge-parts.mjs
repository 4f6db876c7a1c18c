import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rollup } from 'rollup'
import { root } from './root.mjs'

/**
 * Commands whose start counts. All that they load at once becomes one file: esbuild cuts code at every border between
 * lazy parts, and opening 80 small files takes longer than reading one.
 */
const MERGED = ['src/cli/commands/call/run-call.ts', 'src/cli/commands/print/run-print.ts']
/** Commands that must stay small: what they need stays apart. */
const APART = ['src/cli/main.ts', 'src/cli/commands/tools/run-tools.ts']

/**
 * Joins the parts of the command line that are always loaded together.
 * @param {{ metafile: import('esbuild').Metafile, outdir: string }} options
 */
export async function mergeParts({ metafile, outdir }) {
  const apart = loadedBy(metafile, APART)
  const merged = loadedBy(metafile, MERGED)
  for (const file of apart) merged.delete(file)
  const bundle = await rollup({
    input: join(root, outdir, 'main.js'),
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:/.test(id),
    // The parts hold no dead code: esbuild has dropped it.
    treeshake: false,
    onwarn: (warning, warn) => warning.code === 'UNUSED_EXTERNAL_IMPORT' || warn(warning),
  })
  rmSync(join(root, outdir, 'parts'), { recursive: true })
  await bundle.write({
    dir: join(root, outdir),
    format: 'es',
    compact: true,
    hoistTransitiveImports: false,
    chunkFileNames: ({ name }) => `parts/${name.replace(/-[0-9A-Z]{8}$/, '')}-[hash].js`,
    // Else it takes along whatever the merged parts need, the small ones of other commands, too.
    onlyExplicitManualChunks: true,
    manualChunks: (id) => (merged.has(id) ? 'commands' : undefined),
  })
  await bundle.close()
}

/**
 * The files that entry points load before they do anything.
 * @param {import('esbuild').Metafile} metafile
 * @param {readonly string[]} entryPoints
 */
function loadedBy({ outputs }, entryPoints) {
  const starts = Object.keys(outputs).filter((path) => entryPoints.includes(outputs[path]?.entryPoint ?? ''))
  if (starts.length !== entryPoints.length) throw new Error(`Not every one of ${entryPoints.join(', ')} is a part.`)
  const files = new Set()
  const pending = [...starts]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const file = resolve(root, path)
    if (files.has(file)) continue
    files.add(file)
    for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) pending.push(next)
  }
  return files
}
