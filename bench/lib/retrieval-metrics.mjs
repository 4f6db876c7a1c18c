/**
 * @typedef {{ id: string, query: string, gold: string[], alt?: Record<string, string[]>, corpus: string,
 *   source: string, lang: string, style: string }} Query
 * @typedef {{ 'recall@1': number, 'recall@3': number, 'recall@5': number, 'nDCG@5': number, MRR: number }} Metrics
 */

const TOP_COUNT = 5

/**
 * Computes the metrics of the results for one query. Each tool in `gold` counts once; an alternative in `alt` counts as the tool itself.
 * @param {Query} query
 * @param {readonly string[]} results best first
 * @returns {Metrics}
 */
export function computeMetrics({ gold, alt = {} }, results) {
  const goldByAnswer = new Map(gold.map((id) => [id, id]))
  for (const [id, others] of Object.entries(alt))
    for (const other of others) if (!goldByAnswer.has(other)) goldByAnswer.set(other, id)
  /** @type {Map<string, number>} */
  const ranks = new Map()
  for (const [index, id] of [...new Set(results)].entries()) {
    const goldId = goldByAnswer.get(id)
    if (goldId !== undefined && !ranks.has(goldId)) ranks.set(goldId, index + 1)
  }
  const foundRanks = [...ranks.values()]
  const computeRecall = (/** @type {number} */ cut) =>
    foundRanks.filter((rank) => rank <= cut).length / Math.min(gold.length, cut)
  const computeGain = (/** @type {number} */ rank) => 1 / Math.log2(rank + 1)
  const idealGains = Array.from({ length: Math.min(TOP_COUNT, gold.length) }, (_, index) => computeGain(index + 1))
  return {
    'recall@1': computeRecall(1),
    'recall@3': computeRecall(3),
    'recall@5': computeRecall(TOP_COUNT),
    'nDCG@5': sum(foundRanks.filter((rank) => rank <= TOP_COUNT).map(computeGain)) / sum(idealGains),
    MRR: foundRanks.length === 0 ? 0 : 1 / Math.min(...foundRanks),
  }
}

/**
 * @param {readonly Metrics[]} all
 * @returns {Metrics}
 */
export function computeMeanMetrics(all) {
  const computeMean = (/** @type {keyof Metrics} */ name) => sum(all.map((metrics) => metrics[name])) / all.length
  return {
    'recall@1': computeMean('recall@1'),
    'recall@3': computeMean('recall@3'),
    'recall@5': computeMean('recall@5'),
    'nDCG@5': computeMean('nDCG@5'),
    MRR: computeMean('MRR'),
  }
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
