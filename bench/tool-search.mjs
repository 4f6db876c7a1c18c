import './lib/restart-clean.mjs'
import { loadRanker } from './lib/load-ranker.mjs'
import { createPlainBm25 } from './lib/plain-bm25.mjs'
import { report } from './lib/report.mjs'
import { computeMeanMetrics, computeMetrics } from './lib/retrieval-metrics.mjs'
import { readToolSearchData } from './lib/tool-search-data.mjs'
import { measureToolSearchSpeed } from './lib/tool-search-speed.mjs'

/**
 * Measures the quality of the tool search, relative to the base score and plain BM25, and its costs with ten thousand tools.
 * `node bench/tool-search.mjs [FOLDER]`: the folder has `tools.jsonl` and `queries.jsonl`; the default is the small
 * catalogue of the tests. Each corpus is a separate catalogue.
 */
const MAX_RESULTS = 10

const { tools, queries, unfit, unseen } = readToolSearchData(process.argv[2])
const { ranker, remove } = await loadRanker()
try {
  report('Speed', await measureToolSearchSpeed(ranker, tools, queries))
  const lexicon = await ranker.loadLexicon()
  const catalogues = [...new Set(queries.map(({ corpus }) => corpus))].map((corpus) => createRankers(corpus, lexicon))
  for (const [title, group] of createGroups()) printTable(title, group, catalogues)
  const rankersByCorpus = [...catalogues, { corpus: 'all in one', shipped: createShippedRanker(tools, lexicon) }]
  reportEmpty('queries that fit no tool, used to tune the cut-off', unfit, rankersByCorpus)
  reportEmpty('further such queries, not used for tuning', unseen, rankersByCorpus)
} finally {
  remove()
}

/**
 * @param {string} title
 * @param {readonly string[]} queries
 * @param {readonly { corpus: string, shipped: (query: string) => string[] }[]} rankers
 */
function reportEmpty(title, queries, rankers) {
  report(
    `Queries without a result, of ${queries.length} ${title}`,
    rankers.map(({ corpus, shipped }) => {
      const emptyShare = queries.filter((query) => shipped(query).length === 0).length / queries.length
      return { name: corpus, value: `${(100 * emptyShare).toFixed(0)}%` }
    }),
  )
}

/** @typedef {Awaited<ReturnType<typeof ranker.loadLexicon>>} Lexicon */

/**
 * @param {string} corpus
 * @param {Lexicon} lexicon
 */
function createRankers(corpus, lexicon) {
  const corpusTools = tools.filter((tool) => tool.corpus === corpus)
  const bm25 = createPlainBm25(corpusTools)
  const listKeys = (/** @type {readonly { key: string }[]} */ rankedTools) => rankedTools.map(({ key }) => key)
  return {
    corpus,
    base: (/** @type {string} */ query) => listKeys(ranker.rankByBaseScore(corpusTools, query, MAX_RESULTS)),
    bm25: (/** @type {string} */ query) => bm25(query, MAX_RESULTS),
    shipped: createShippedRanker(corpusTools, lexicon),
  }
}

/**
 * @param {readonly import('./lib/tool-search-data.mjs').BenchTool[]} tools
 * @param {Lexicon} lexicon
 */
function createShippedRanker(tools, lexicon) {
  const index = ranker.createToolIndex(lexicon)
  index.add(tools)
  return (/** @type {string} */ query) => index.search(query, MAX_RESULTS).map(({ key }) => key)
}

/** @returns {[title: string, group: typeof queries][]} */
function createGroups() {
  const groupBy = (/** @type {string} */ kind, /** @type {(query: (typeof queries)[number]) => string} */ keyOf) =>
    [...new Set(queries.map(keyOf))]
      .sort()
      .map(
        (name) =>
          /** @type {[string, typeof queries]} */ ([`${kind} ${name}`, queries.filter((q) => keyOf(q) === name)]),
      )
  const isTranslated = (/** @type {{ source: string }} */ { source }) => source.startsWith('xl-')
  const englishKeywords = queries.filter(({ lang, style }) => lang === 'en' && style === 'keywords')
  /** @type {[string, typeof queries][]} */
  const namedGroups = [
    ['all queries', queries],
    ['translated', queries.filter(isTranslated)],
    ['English keywords', englishKeywords],
  ]
  return [...namedGroups, ...groupBy('source', (q) => q.source), ...groupBy('language', (q) => q.lang)].filter(
    ([, all]) => all.length > 0,
  )
}

/**
 * @param {string} title
 * @param {typeof queries} group
 * @param {readonly ReturnType<typeof createRankers>[]} catalogues
 */
function printTable(title, group, catalogues) {
  console.log(`\n${title} (${group.length})`)
  for (const name of /** @type {const} */ (['base', 'bm25', 'shipped'])) {
    const groupMetrics = group.map((query) => {
      const rank = catalogues.find(({ corpus }) => corpus === query.corpus)?.[name]
      return computeMetrics(query, rank?.(query.query) ?? [])
    })
    const figures = Object.entries(computeMeanMetrics(groupMetrics)).map(
      ([metric, value]) => `${metric} ${(100 * value).toFixed(1).padStart(5)}`,
    )
    console.log(`  ${name.padEnd(8)} ${figures.join('  ')}`)
  }
}
