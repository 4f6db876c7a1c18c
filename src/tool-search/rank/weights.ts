/** What counts how much; docs/decisions/0014-tool-search.md says how it was found. */
export const WEIGHTS = {
  /** Name and aliases, server, description and hint, parameters. */
  fields: [3, 2, 1, 0.3],
  /** How much the length of the field counts against it. */
  lengths: [0.5, 0.3, 0.6, 0.75],
  /** The higher, the more it counts that a term is in a better field, or more often. */
  saturation: 1.2,
  /** English words that mean the same. */
  synonym: 0.6,
  /** Terms that begin alike, and terms that share letters, in place of a word that no tool has. */
  prefix: 0.8,
  similar: 0.7,
  /** Letters of Chinese or Japanese that are in no known word. */
  bigram: 0.5,
  number: 0.3,
  /** Names of people and places that no tool speaks of. */
  properName: 0.3,
  /** A word that no tool has, as a part of the rarest word's weight. */
  unknown: 0.7,
  /** How much the best clause counts beside the whole. */
  clauses: 0.5,
  coverage: 0.5,
  /** How much of a query with one word must be answered, and how fast that falls with more words. */
  fits: 0.5,
  fitsPower: 0.7,
}
