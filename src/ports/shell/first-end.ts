import type { CommandRun } from './command-run.js'

export type RunEnd = 'exited' | 'limit' | 'aborted' | 'filled'

/** Why a command in the foreground is done with, whichever comes first. */
export function firstEnd(
  { exited, output }: CommandRun,
  { timeoutMs, signal }: { readonly timeoutMs?: number | undefined; readonly signal: AbortSignal },
): Promise<RunEnd> {
  return new Promise((resolve) => {
    const end = (how: RunEnd): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(how)
    }
    const onAbort = (): void => end('aborted')
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'limit')
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    void exited.then(() => end('exited'))
    void output.filled.then(() => end('filled'))
  })
}
