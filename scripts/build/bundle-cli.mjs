import { join } from 'node:path'
import { build } from 'esbuild'
import { featurePlugin } from './features.mjs'
import { knownValuesPlugin } from './known-values.mjs'
import { writeLicences } from './licences.mjs'
import { packageJson, root } from './root.mjs'
import { sdkGlobalsPlugin } from './sdk-globals-plugin.mjs'
import { toolsPlugin } from './tools-plugin.mjs'

/**
 * The command line with everything it needs inside, in parts that are loaded when they are used.
 * @param {{ features: import('./features.mjs').Features, outdir: string, toolsModule?: string }} options
 */
export async function bundleCli({ features, outdir, toolsModule }) {
  const plugins = [...(toolsModule === undefined ? [] : [toolsPlugin(toolsModule)]), featurePlugin(features)]
  const { metafile } = await build({
    entryPoints: { main: join(root, 'src/cli/main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    // Native code, and what only terminals and pictures need: found where the package is installed.
    external: ['@lydell/node-pty', '@xterm/headless', 'sharp'],
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    chunkNames: 'parts/[name]-[hash]',
    // What it gives Node is CommonJS that asks for `process` by require, which a module has not.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    define: { __HAFT_VERSION__: JSON.stringify(packageJson.version) },
    plugins: [knownValuesPlugin(plugins), sdkGlobalsPlugin(), ...plugins],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  })
  await writeLicences(metafile, outdir)
  return metafile
}
