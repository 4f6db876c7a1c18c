import type { BigIntStats } from 'node:fs'

/** Whether two looks saw the same file in the same state: any write between them moves its times. */
export function isSameFile(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const isSame = a.dev === b.dev && a.ino === b.ino && a.mode === b.mode && a.size === b.size
  return isSame && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs
}
