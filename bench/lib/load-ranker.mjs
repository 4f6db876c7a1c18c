import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../../scripts/build/root.mjs'

/** @typedef {typeof import('../../src/tool-search/rank/index.js') & typeof import('../../src/tool-search/find/tool-finder.js')} Ranker */

/**
 * Bundles the tool search, with its tables next to the bundle as in the published package.
 * @returns {Promise<{ ranker: Ranker, remove: () => void }>}
 */
export async function loadRanker() {
  const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
  const outfile = join(folder, 'ranker.mjs')
  const stdin = {
    contents: "export * from './rank/index.js'; export * from './find/tool-finder.js'",
    resolveDir: join(root, 'src/tool-search'),
  }
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  cpSync(join(root, 'data'), join(folder, 'data'), { recursive: true })
  const ranker = await import(pathToFileURL(outfile).href)
  return { ranker, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
