import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { createFeaturePlugin } from './features.mjs'
import { writeLicences } from './licences.mjs'
import { mergeLibraryParts } from './merge-parts.mjs'
import { createNodeBuiltinsPlugin } from './node-builtins-plugin.mjs'
import { packageJson, root } from './root.mjs'

/** Packages that importers rarely load themselves. Loading the 17 separate files of the parser would take 15 ms. */
const BUNDLED_PACKAGES = ['unbash']

/**
 * Bundles the library: one file for `haft` and one for each subpath (`src/api`). Packages stay outside, so that
 * importers share them.
 * @param {{ features: import('./features.mjs').Features, outdir: string }} options
 */
export async function bundleLibrary({ features, outdir }) {
  const subpaths = readdirSync(join(root, 'src/api')).map((file) => file.replace(/\.ts$/, ''))
  const entryPoints = {
    index: join(root, 'src/index.ts'),
    ...Object.fromEntries(subpaths.map((name) => [name, join(root, 'src/api', `${name}.ts`)])),
  }
  const dependencies = Object.keys({ ...packageJson.dependencies, ...packageJson.optionalDependencies })
  const { metafile } = await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: dependencies.filter((name) => !BUNDLED_PACKAGES.includes(name)),
    minifySyntax: true,
    define: { __HAFT_VERSION__: JSON.stringify(packageJson.version) },
    chunkNames: 'parts/[name]-[hash]',
    plugins: [createFeaturePlugin(features), createNodeBuiltinsPlugin()],
    absWorkingDir: root,
    logLevel: 'warning',
    metafile: true,
  })
  await writeLicences(metafile, outdir)
  await mergeLibraryParts({ metafile, outdir, entryPoints })
  return metafile
}
