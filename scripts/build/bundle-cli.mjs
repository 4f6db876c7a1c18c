import { join } from 'node:path'
import { build } from 'esbuild'
import { createFeaturePlugin } from './features.mjs'
import { createLazyStringWidthPlugin } from './lazy-string-width-plugin.mjs'
import { writeLicences } from './licences.mjs'
import { createPrecomputedValuesPlugin } from './precomputed-values.mjs'
import { packageJson, root } from './root.mjs'
import { createSdkGlobalsPlugin } from './sdk-globals-plugin.mjs'
import { createToolsPlugin } from './tools-plugin.mjs'

/**
 * Bundles the command line with all its dependencies, in parts that are loaded on first use.
 * @param {{ features: import('./features.mjs').Features, outdir: string, toolsModule?: string }} options
 */
export async function bundleCli({ features, outdir, toolsModule }) {
  const plugins = [
    ...(toolsModule === undefined ? [] : [createToolsPlugin(toolsModule)]),
    createFeaturePlugin(features),
  ]
  const { metafile } = await build({
    entryPoints: { main: join(root, 'src/cli/main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    // Packages that contain native code, or are needed only for terminals, images and fleets, are loaded from node_modules.
    external: ['@lydell/node-pty', '@xterm/headless', 'sharp', '@dbos-inc/dbos-sdk', 'pg'],
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    chunkNames: 'parts/[name]-[hash]',
    // The build of yaml for Node is CommonJS that calls `require`, which an ES module does not have.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    define: { __HAFT_VERSION__: JSON.stringify(packageJson.version) },
    plugins: [
      createPrecomputedValuesPlugin(plugins),
      createSdkGlobalsPlugin(),
      createLazyStringWidthPlugin(),
      ...plugins,
    ],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  })
  await writeLicences(metafile, outdir)
  return metafile
}
