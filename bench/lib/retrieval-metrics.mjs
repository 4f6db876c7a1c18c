/**
 * @typedef {{ id: string, query: string, gold: string[], alt?: Record<string, string[]>, corpus: string,
 *   source: string, lang: string, style: string }} Query
 * @typedef {{ 'recall@1': number, 'recall@3': number, 'recall@5': number, 'nDCG@5': number, MRR: number }} Metrics
 */

const TOP_COUNT = 5

/**
 * The metrics of one answer. Each wanted tool counts once; an alternative (`alt`) counts as the tool itself.
 * @param {Query} query
 * @param {readonly string[]} results best first
 * @returns {Metrics}
 */
export function metricsOf({ gold, alt = {} }, results) {
  const wanted = new Map(gold.map((id) => [id, id]))
  for (const [id, others] of Object.entries(alt))
    for (const other of others) if (!wanted.has(other)) wanted.set(other, id)
  /** @type {Map<string, number>} */
  const ranks = new Map()
  for (const [index, id] of [...new Set(results)].entries()) {
    const found = wanted.get(id)
    if (found !== undefined && !ranks.has(found)) ranks.set(found, index + 1)
  }
  const found = [...ranks.values()]
  const recall = (/** @type {number} */ cut) => found.filter((rank) => rank <= cut).length / Math.min(gold.length, cut)
  const gain = (/** @type {number} */ rank) => 1 / Math.log2(rank + 1)
  const ideal = Array.from({ length: Math.min(TOP_COUNT, gold.length) }, (_, index) => gain(index + 1))
  return {
    'recall@1': recall(1),
    'recall@3': recall(3),
    'recall@5': recall(TOP_COUNT),
    'nDCG@5': sum(found.filter((rank) => rank <= TOP_COUNT).map(gain)) / sum(ideal),
    MRR: found.length === 0 ? 0 : 1 / Math.min(...found),
  }
}

/**
 * @param {readonly Metrics[]} all
 * @returns {Metrics}
 */
export function meanMetrics(all) {
  const mean = (/** @type {keyof Metrics} */ name) => sum(all.map((each) => each[name])) / all.length
  return {
    'recall@1': mean('recall@1'),
    'recall@3': mean('recall@3'),
    'recall@5': mean('recall@5'),
    'nDCG@5': mean('nDCG@5'),
    MRR: mean('MRR'),
  }
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}
