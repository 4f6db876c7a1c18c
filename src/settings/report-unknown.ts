import { nearestNames } from '../shared/nearest-names.js'
import type { ProblemLog } from './problem-log.js'

/** Warns of every key of a part that is not known there. */
export function reportUnknown(part: object, known: readonly string[], path: readonly string[], log: ProblemLog): void {
  for (const key of Object.keys(part)) {
    if (known.includes(key)) continue
    const [near] = log.isFull ? [] : nearestNames(key, known, 1)
    const advice = near === undefined ? '' : ` Did you mean ${near}?`
    log.add('warning', `unknown key ${JSON.stringify([...path, key].join('.'))} has no effect.${advice}`, [
      ...path,
      key,
    ])
  }
}
