import { formatCount } from './format-count.js'

export interface SpillFacts {
  readonly receivedBytes: number
  readonly keptBytes: number
  readonly path?: string
  /** Why not all is kept, where that is not the cap. */
  readonly problem?: string
}

/** The line above the preview of an output: its size, where it is, and whether some of it is lost. */
export function spillNotice(facts: SpillFacts): string {
  return `[Long output: ${formatCount(facts.receivedBytes)} bytes; ${whatIsKept(facts)}${advice(facts)}]`
}

function whatIsKept({ receivedBytes, keptBytes, path, problem }: SpillFacts): string {
  if (path === undefined && problem !== undefined) {
    return `its start and end are below, the rest could not be kept (${problem}).`
  }
  const place = path === undefined ? 'below' : `in ${path}`
  if (receivedBytes === keptBytes && problem === undefined) return `its start and end are below, all of it is ${place}.`
  const reason = problem === undefined ? 'more came and was not kept' : `the rest could not be kept (${problem})`
  return `the first ${formatCount(keptBytes)} bytes are ${place}, ${reason}.`
}

function advice({ path }: SpillFacts): string {
  return path === undefined ? '' : ' Read a range of that file, or search it with Grep.'
}
