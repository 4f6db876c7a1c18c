import { build } from 'esbuild'

/**
 * Bundles a TypeScript program for a test or benchmark.
 * @param {string} entry
 * @param {string} outfile
 */
export async function buildProgram(entry, outfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    define: { __HAFT_VERSION__: '"0.0.0"' },
    logLevel: 'error',
  })
}
