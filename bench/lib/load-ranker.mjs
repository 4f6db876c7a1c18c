import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { copyData } from '../../scripts/build/copy-data.mjs'
import { root } from '../../scripts/build/root.mjs'

/**
 * The ranker of the tool search as a bundle has it, with its tables beside it.
 * @returns {Promise<{ ranker: typeof import('../../src/tool-search/rank/index.js'), remove: () => void }>}
 */
export async function loadRanker() {
  const folder = mkdtempSync(join(tmpdir(), 'haft-bench-'))
  const outfile = join(folder, 'ranker.mjs')
  const entryPoints = [join(root, 'src/tool-search/rank/index.ts')]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' })
  await copyData(folder)
  const ranker = await import(pathToFileURL(outfile).href)
  return { ranker, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
