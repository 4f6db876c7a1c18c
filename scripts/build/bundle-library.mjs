import { join } from 'node:path'
import { build } from 'esbuild'
import { featurePlugin } from './features.mjs'
import { mergeLibraryParts } from './merge-parts.mjs'
import { packageJson, root } from './root.mjs'

/**
 * What others import, a file for each subpath; packages stay outside, so that importers share theirs.
 * @param {{ features: import('./features.mjs').Features, outdir: string }} options
 */
export async function bundleLibrary({ features, outdir }) {
  const entryPoints = {
    index: join(root, 'src/index.ts'),
    agent: join(root, 'src/session/index.ts'),
    ai: join(root, 'src/runtime/ai/index.ts'),
    anthropic: join(root, 'src/runtime/anthropic/index.ts'),
    openai: join(root, 'src/runtime/openai/index.ts'),
    mcp: join(root, 'src/runtime/mcp/index.ts'),
    models: join(root, 'src/providers/index.ts'),
    testing: join(root, 'src/testing/index.ts'),
  }
  const { metafile } = await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    minifySyntax: true,
    define: { __HAFT_VERSION__: JSON.stringify(packageJson.version) },
    chunkNames: 'parts/[name]-[hash]',
    plugins: [featurePlugin(features)],
    absWorkingDir: root,
    logLevel: 'warning',
    metafile: true,
  })
  await mergeLibraryParts({ metafile, outdir, entryPoints })
}
