import { nearestNames } from './nearest-names.js'

/** The question ` Did you mean …?` for an unknown name; empty if no known name is similar. */
export function didYouMean(wanted: string, known: Iterable<string>): string {
  const near = nearestNames(wanted, known)
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
}
