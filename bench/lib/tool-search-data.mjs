import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/build/root.mjs'

/** @typedef {import('../../src/tool-search/rank/index.js').SearchableTool & { corpus: string }} BenchTool */

const FIXTURES_FOLDER = join(root, 'src/tool-search/rank/fixtures')

/**
 * Reads tools and queries from a folder (`tools.jsonl`, `queries.jsonl`), or the small catalogue of the tests.
 * @param {string | undefined} folder
 * @returns {{ tools: BenchTool[], queries: import('./retrieval-metrics.mjs').Query[], unfit: string[], unseen: string[] }}
 */
export function readToolSearchData(folder) {
  const readFileLines = (/** @type {string} */ file) => readFileSync(file, 'utf8').trim().split('\n')
  // The threshold was tuned with the two lists in `unfitQueries`; only `unseenUnfitQueries` is an unbiased measure.
  const unfitQueries = [
    ...readFileLines(join(FIXTURES_FOLDER, 'fits-nothing.txt')),
    ...readFileLines(join(root, 'bench/tool-search-unfit.txt')),
  ]
  const unseenUnfitQueries = readFileLines(join(FIXTURES_FOLDER, 'fits-nothing-unseen.txt'))
  if (folder === undefined) return { ...readOwnCatalogue(), unfit: unfitQueries, unseen: unseenUnfitQueries }
  const tools = readLines(join(folder, 'tools.jsonl')).map(({ id, server, ...tool }) => ({
    ...tool,
    key: id,
    ...(server !== null && { server }),
  }))
  return { tools, queries: readLines(join(folder, 'queries.jsonl')), unfit: unfitQueries, unseen: unseenUnfitQueries }
}

function readOwnCatalogue() {
  const { tools, queries } = JSON.parse(readFileSync(join(FIXTURES_FOLDER, 'catalogue.json'), 'utf8'))
  const ownLabels = { corpus: 'own', source: 'own', lang: 'mixed', style: 'keywords' }
  return {
    tools: tools.map((/** @type {string[]} */ [server = '', name = '', description = '']) => ({
      ...{ key: name, server, name, description, isMcp: true, corpus: 'own' },
    })),
    queries: queries.map((/** @type {string[]} */ [query, name], /** @type {number} */ index) => ({
      ...{ id: `own-${index}`, query, gold: [name], ...ownLabels },
    })),
  }
}

/** @param {string} file */
function readLines(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
