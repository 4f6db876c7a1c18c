import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandRun } from './command-run.js'

export type RunEnd = 'exited' | 'limit' | 'aborted' | 'filled'

/** Why a command in the foreground is done with, whichever comes first. */
export async function firstEnd(
  { exited, output }: CommandRun,
  { timeoutMs, signal }: { readonly timeoutMs?: number | undefined; readonly signal: AbortSignal },
): Promise<RunEnd> {
  const over = new AbortController()
  const aborted = new Promise<RunEnd>((resolve) => {
    if (signal.aborted) resolve('aborted')
    signal.addEventListener('abort', () => resolve('aborted'), { signal: over.signal })
  })
  const ends: Promise<RunEnd>[] = [
    exited.then((): RunEnd => 'exited'),
    output.filled.then((): RunEnd => 'filled'),
    aborted,
  ]
  if (timeoutMs !== undefined) {
    // Called off when another end came first.
    ends.push(sleep(timeoutMs, 'limit' as const, { signal: over.signal }).catch((): RunEnd => 'limit'))
  }
  const end = await Promise.race(ends)
  over.abort()
  return end
}
