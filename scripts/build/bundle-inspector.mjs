import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { writeLicences } from './licences.mjs'
import { root } from './root.mjs'

/**
 * Bundles the page of `haft inspect`: one script and one style sheet, which load nothing else.
 * @param {{ outdir: string }} options
 */
export async function bundleInspector({ outdir }) {
  mkdirSync(outdir, { recursive: true })
  const { metafile } = await build({
    entryPoints: { app: join(root, 'web/main.tsx') },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  })
  await build({
    entryPoints: { app: join(root, 'web/app.css') },
    outdir,
    minify: true,
    absWorkingDir: root,
    logLevel: 'warning',
  })
  copyFileSync(join(root, 'web/index.html'), join(outdir, 'index.html'))
  await writeLicences(metafile, outdir)
}
