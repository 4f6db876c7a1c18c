const K1 = 1.2
const B = 0.75

/**
 * Creates a search with unmodified BM25 over the whole text of a tool, the baseline for the ranker.
 * @param {readonly import('../../src/tool-search/rank/index.js').SearchableTool[]} tools
 * @returns {(query: string, count: number) => string[]}
 */
export function createPlainBm25(tools) {
  /** @type {Map<string, Map<number, number>>} */
  const postings = new Map()
  const lengths = tools.map(({ name, server = '', description, searchHint = '' }, index) => {
    const words = wordsOf(`${server} ${name} ${description} ${searchHint}`)
    for (const word of words) {
      const posting = postings.get(word) ?? new Map()
      postings.set(word, posting.set(index, (posting.get(index) ?? 0) + 1))
    }
    return words.length
  })
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / tools.length
  return (query, count) => {
    /** @type {Map<number, number>} */
    const scores = new Map()
    for (const word of new Set(wordsOf(query))) {
      const posting = postings.get(word) ?? new Map()
      const idf = Math.log(1 + (tools.length - posting.size + 0.5) / (posting.size + 0.5))
      for (const [index, times] of posting) {
        const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / averageLength)
        scores.set(index, (scores.get(index) ?? 0) + (idf * times * (K1 + 1)) / (times + norm))
      }
    }
    const rankedEntries = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, count)
    return rankedEntries.map(([index]) => tools[index]?.key ?? '')
  }
}

/** @param {string} text */
function wordsOf(text) {
  const separatedText = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase()
  return separatedText.match(/[\p{L}\p{N}]+/gu) ?? []
}
