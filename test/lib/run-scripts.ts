import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name service cache of the C library, which is queried locally. */
const NAME_SERVICE = /connect\(.*nscd\/socket/

/** Runs all lines in one traced shell in a fresh folder. Returns what they changed or ran beyond the allowed programs. */
function runLines(lines: readonly string[], folder: string, allowedPrograms: RegExp): readonly string[] {
  const work = join(folder, 'work')
  const trace = join(folder, 'trace')
  const script = join(folder, 'script.sh')
  rmSync(work, { recursive: true, force: true })
  mkdirSync(join(work, 'd'), { recursive: true })
  writeFileSync(join(work, 'in.txt'), '1 a x\n9 b/c "touch P"\ntouch P\n')
  writeFileSync(join(work, 'in.json'), '{"a": [1], "x": "a", "env": 2}')
  writeFileSync(join(work, 'd', 'x'), 'a\n')
  writeFileSync(join(work, 'm.jq'), 'def x: "SECRET-module";')
  writeFileSync(join(work, 'd.json'), '["SECRET-data"]')
  const snapshotBefore = snapshot(work)
  // Endless loops end with the limit of processor time, and endless output with the limit of file sizes.
  const limitedLines = lines.map((line) => `(ulimit -t 1 -f 100; ${line}\n)`)
  const head = ['exec 3>&1 </dev/null >/dev/null 2>/dev/null', 'A=value B=value C=value']
  writeFileSync(script, [...head, ...limitedLines, 'exit 0'].join('\n'))
  const tracedSystemCalls =
    'execve,execveat,connect,kill,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,symlink'
  const options = ['-f', '-qq', '--seccomp-bpf', '-e', `trace=${tracedSystemCalls}`, '-e', 'signal=none', '-o', trace]
  const output = execFileSync('strace', [...options, 'bash', '--norc', script], {
    cwd: work,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: folder, LEAK: 'SECRET-environment' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const calls = readFileSync(trace, 'utf8').split('\n').slice(1)
  const unexpectedCalls = calls.filter(
    (line) => /^\d+ +\w+\(/.test(line) && !allowedPrograms.test(line) && !NAME_SERVICE.test(line),
  )
  const snapshotAfter = snapshot(work)
  const changes = snapshotAfter.filter((entry) => !snapshotBefore.includes(entry))
  const removedEntries = snapshotBefore.filter((entry) => !snapshotAfter.includes(entry))
  return [...unexpectedCalls, ...changes, ...removedEntries, ...output.split('\n').filter((line) => line !== '')]
}

function snapshot(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, status: statSync(join(folder, name)) }))
    .map(({ name, status }) => `${name} ${status.isDirectory() ? 'folder' : `${status.size} ${status.mtimeMs}`}`)
    .sort()
}

/** Finds the lines of a batch that have effects, by bisection. */
export function findLinesWithEffects(
  lines: readonly string[],
  folder: string,
  allowedPrograms: RegExp,
): readonly { line: string; effects: readonly string[] }[] {
  if (lines.length === 0) return []
  const effects = runLines(lines, folder, allowedPrograms)
  if (effects.length === 0) return []
  if (lines.length === 1) return [{ line: lines[0] ?? '', effects }]
  const middle = lines.length >> 1
  return [
    ...findLinesWithEffects(lines.slice(0, middle), folder, allowedPrograms),
    ...findLinesWithEffects(lines.slice(middle), folder, allowedPrograms),
  ]
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
