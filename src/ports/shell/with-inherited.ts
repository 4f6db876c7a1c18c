import { openSync } from 'node:fs'
import { ToolCallError } from '../../contract/errors.js'
import { quote } from '../../shared/quote.js'
import { closeAll } from './close-all.js'
import { type CommandPrefix, FIRST_INHERITED } from './confine.js'

export type Stdio = 'ignore' | 'pipe' | number

/** Starts something with these streams and the files that a prefix wants open; a file that is missing stops it. */
export function withInherited<T>(
  { inherited = [] }: CommandPrefix,
  streams: readonly Stdio[],
  start: (stdio: Stdio[]) => T,
): T {
  if (inherited.length === 0) return start([...streams])
  const opened: number[] = []
  try {
    for (const path of inherited) opened.push(openInherited(path))
    const unused = Array.from({ length: FIRST_INHERITED - streams.length }, (): Stdio => 'ignore')
    return start([...streams, ...unused, ...opened])
  } finally {
    closeAll(...opened)
  }
}

function openInherited(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    throw new ToolCallError('unavailable', `The sandbox lacks a file that it needs: ${quote(path)}.`, { cause: error })
  }
}
