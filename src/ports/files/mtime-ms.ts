const SECOND = 1_000_000_000n

/** The time of a change as other looks at a file give it, to the last digit. */
export function mtimeMs(mtimeNs: bigint): number {
  return Number(mtimeNs / SECOND) * 1_000 + Number(mtimeNs % SECOND) / 1e6
}
