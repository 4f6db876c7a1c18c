/** What counts how much. Found by cross-validation over corpora; docs/decisions/0014 has the figures. */
export const WEIGHTS = {
  /** Name, server, description and hint, parameters. */
  fields: [3, 2, 1, 0.3],
  /** How much a long field counts less. */
  lengths: [0.5, 0.3, 0.6, 0.75],
  saturation: 1.2,
  synonym: 0.6,
  prefix: 0.65,
  similar: 0.4,
  bigram: 0.5,
  clauses: 0.5,
  number: 0.3,
  unknown: 0.5,
  coverage: 0.5,
  idfMode: 2,
  cutoff: 0,
}
