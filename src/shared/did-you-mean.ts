import { nearestNames } from './nearest-names.js'

/** A question that follows an unknown name, with a space before it; nothing where no known name is near. */
export function didYouMean(wanted: string, known: Iterable<string>): string {
  const near = nearestNames(wanted, known)
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
}
