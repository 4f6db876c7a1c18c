import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { writeLicences } from './licences.mjs'
import { root } from './root.mjs'

const QUICKJS_WASM = 'node_modules/@jitl/quickjs-ng-wasmfile-release-sync/dist/emscripten-module.wasm'

/**
 * Bundles the code of each worker thread and child process, with all its dependencies, into `parts`, beside the parts that
 * start them.
 * Playwright is an optional package that is loaded from node_modules.
 * @param {{ outdir: string, mainMetafile: import('esbuild').Metafile }} options
 */
export async function bundleThreads({ outdir, mainMetafile }) {
  const { metafile } = await build({
    entryPoints: {
      'thread/page-thread': join(root, 'src/tools/web-fetch/thread/page-thread.mjs'),
      'process/interpreter-process': join(root, 'src/ports/interpreter/process/interpreter-process.mjs'),
      'process/browser-host': join(root, 'src/ports/browser/process/browser-host.mjs'),
    },
    external: ['playwright-core'],
    outdir: join(outdir, 'parts'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  })
  copyFileSync(join(root, QUICKJS_WASM), join(outdir, 'parts/process/quickjs.wasm'))
  await writeLicences({ inputs: {}, outputs: { ...mainMetafile.outputs, ...metafile.outputs } }, outdir)
}
