import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Processes of a group that still run; one that only waits to be reaped does not count. Linux only. */
export function findGroupMembers(group: number): Promise<readonly number[]> {
  return findProcesses('stat', (stat) => {
    // The name comes before, in parentheses, and may hold anything.
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(processGroup) === group && state !== 'Z'
  })
}

/** Processes that were started with a variable of that beginning, wherever they have gone since. Linux only. */
export function findByVariable(name: string, beginning: string): Promise<readonly number[]> {
  const mark = `${name}=${beginning}`
  return findProcesses('environ', (environment) => environment.split('\0').some((entry) => entry.startsWith(mark)))
}

async function findProcesses(file: 'stat' | 'environ', fits: (content: string) => boolean): Promise<readonly number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry))
  const found = pids.map(async (pid) => {
    const content = await readPatiently(`/proc/${pid}/${file}`)
    return content !== '' && fits(content) ? [Number(pid)] : []
  })
  return (await Promise.all(found)).flat()
}

const MOST_READS = 3
const PAUSE_MS = 5

/** A process that is just becoming another program shows nothing for a moment. */
async function readPatiently(path: string): Promise<string> {
  for (let reads = 1; ; reads++) {
    // Gone meanwhile, or somebody else's: neither is ours to judge.
    const content = await readFile(path, 'latin1').catch(() => undefined)
    if (content === undefined) return ''
    if (content !== '' || reads === MOST_READS) return content
    await sleep(PAUSE_MS)
  }
}
