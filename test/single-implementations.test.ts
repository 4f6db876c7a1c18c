import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** An idea that must have one implementation, and the code that a second implementation would contain. */
interface SingleImplementation {
  readonly idea: string
  readonly home: string
  readonly pattern: RegExp
  /** A line that the pattern must match. */
  readonly example: string
  /** Files that use the pattern for something else, with the reason. */
  readonly exceptions?: Readonly<Record<string, string>>
}

const IDEAS: readonly SingleImplementation[] = [
  {
    idea: 'path containment',
    home: 'src/shared/path-containment.ts',
    pattern: /startsWith\((?:['"`]\.\.|[^)]*(?:\bsep\b|\+ ?['"]\/['"]|\}\/`))|\brelative\([^)]*\)\.startsWith/,
    example: "return path === folder || path.startsWith(folder + '/')",
    exceptions: { 'src/edits/patch/parse-patch.ts': 'strips the a/ or b/ of a diff header' },
  },
  {
    idea: 'ending a process group',
    home: 'src/system/processes/end-processes.ts',
    pattern: /process\.kill\(\s*-|process\.kill\([^,)]*\? /,
    example: "process.kill(-pid, 'SIGKILL')",
  },
  {
    idea: 'checking whether a process runs',
    home: 'src/system/processes/process-identity.ts',
    pattern: /process\.kill\([^,]+, 0\)/,
    example: 'process.kill(pid, 0)',
  },
  {
    idea: 'reading the process table',
    home: 'src/system/processes/process-table.ts',
    pattern: /\/proc\/\$\{\w+\}\/(?:stat|environ|\$)/,
    example: ['readFileSync(`/proc/', '{pid}/stat`)'].join('$'),
  },
  {
    idea: 'creating lock and temporary files',
    home: 'src/system/',
    pattern: /'wx'|O_EXCL\b/,
    example: "openSync(lock, 'wx', 0o600)",
    exceptions: {
      'src/cli/commands/print/session/record-to-file.ts': 'refuses to overwrite a recording',
      'src/results/result-file.ts': 'a new file for a result, never renamed',
      'src/ports/search/run-ripgrep.ts': 'a file in a private temporary folder',
      'src/ports/shell/command-files.ts': 'files in a private folder, unlinked at once',
    },
  },
  {
    idea: 'replacing a file by renaming',
    home: 'src/system/write-file-atomically.ts',
    pattern: /\brename(?:Sync)?\((?!\{)/,
    example: 'await rename(temporary, file)',
    exceptions: {
      'src/mcp/client/server-log.ts': 'rotates a log',
      'src/ports/checkpoints/prune-checkpoints.ts': 'moves unneeded content aside before it is removed',
      'src/ports/files/': 'replaces a file only if it still is what was read, within a journaled change',
    },
  },
  {
    idea: 'searching PATH',
    home: 'src/system/find-program.ts',
    pattern: /\bX_OK\b|split\(delimiter\)/,
    example: 'PATH.split(delimiter)',
    exceptions: { 'src/cli/commands/doctor/run-doctor.ts': 'checks one file that Haft brings along' },
  },
  {
    idea: 'parsing a command',
    home: 'src/shell/',
    pattern: /from 'unbash'/,
    example: "import { parse } from 'unbash'",
  },
]

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(name) && !/^testing|\/fixture-/.test(name))
  .map((name) => join('src', name))
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n') }))

function findViolations({ home, pattern, exceptions = {} }: SingleImplementation): readonly string[] {
  const allowed = [home, ...Object.keys(exceptions)]
  return SOURCES.filter(({ path }) => !allowed.some((prefix) => path.startsWith(prefix))).flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  )
}

describe.each(IDEAS)('$idea', (idea) => {
  test(`is implemented only in ${idea.home}`, () => {
    expect(findViolations(idea)).toEqual([])
  })

  test('would be detected in another file', () => {
    expect(idea.pattern.test(idea.example)).toBe(true)
  })

  test(`has code in ${idea.home}`, () => {
    const found = SOURCES.filter(({ path }) => path.startsWith(idea.home))
    expect(found.length).toBeGreaterThan(0)
  })
})
