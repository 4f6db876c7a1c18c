/** Ranking weights; docs/decisions/0014-tools-are-found-by-words.md describes how they were fitted. */
export const RANKING_WEIGHTS = {
  /** Fields in order: name and aliases, server, description and hint, parameters. */
  fields: [3, 2, 1, 0.3],
  /** Length normalisation of each field (BM25's b). */
  lengths: [0.7, 0.3, 0.5, 0.75],
  /** BM25's k1: higher values reward repeated terms and terms in heavier fields more. */
  saturation: 1.2,
  /** An English synonym, relative to the word itself. */
  synonym: 0.6,
  /** Substitutes for a word that no tool contains: terms that extend or shorten the word. */
  prefix: 0.8,
  /** Substitutes that share most trigrams with the word. */
  similar: 0.7,
  /** Chinese, Japanese or Korean characters outside of known words. */
  bigram: 0.5,
  /** Characters outside of known words that no tool contains either; often a name. */
  unknownRun: 0.7,
  /** A number in the query, which rarely describes a tool. */
  number: 0.3,
  /** Names of people and places that no tool mentions. */
  properName: 0.3,
  /** Share of the best clause in the score of a query with several clauses. */
  clauses: 0.5,
  /** Exponent of the share of the query that a tool matches: higher values favour tools that match every word. */
  coverage: 0.6,
  /** Decides whether the best tool is a good match: a logistic regression over queries with and without a matching tool. */
  goodMatch: { bias: 13.2, words: 1.8, information: 3.6, named: 5.8, rarity: 11.2, catalogueSize: 0.8 },
}
