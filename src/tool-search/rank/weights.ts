/** What counts how much; docs/decisions/0014-tools-are-found-by-words.md says how it was found. */
export const WEIGHTS = {
  /** Name and aliases, server, description and hint, parameters. */
  fields: [3, 2, 1, 0.3],
  /** How much the length of the field counts against it. */
  lengths: [0.7, 0.3, 0.5, 0.75],
  /** The higher, the more it counts that a term is in a better field, or more often. */
  saturation: 1.2,
  /** English words that mean the same. */
  synonym: 0.6,
  /** Terms that begin alike, and terms that share letters, in place of a word that no tool has. */
  prefix: 0.8,
  similar: 0.7,
  /** Letters of Chinese or Japanese that are in no known word. */
  bigram: 0.5,
  /** Letters that no tool has either: often a name. */
  unknownRun: 0.7,
  number: 0.3,
  /** Names of people and places that no tool speaks of. */
  properName: 0.3,
  /** How much the best clause counts beside the whole. */
  clauses: 0.5,
  /** How much it counts that a tool answers all words, rare or not. */
  coverage: 0.6,
  /** Does the best tool fit at all? A logistic regression over queries that fit a tool and queries that fit none. */
  fits: { bias: 13.2, words: 1.8, information: 3.6, named: 5.8, rarity: 11.2, crowd: 0.8 },
}
