import { readdir, readFile } from 'node:fs/promises'

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
    // Gone meanwhile, or somebody else's: neither is ours to judge.
    const content = await readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
    return content !== '' && fits(content) ? [Number(pid)] : []
  })
  return (await Promise.all(found)).flat()
}
