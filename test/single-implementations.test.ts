import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** A task with only one implementation, and a pattern of code that a second implementation would contain. */
interface SingleImplementation {
  readonly idea: string
  readonly home: string
  readonly pattern: RegExp
  /** Code that the pattern must match. */
  readonly example: string
  /** Files that use the pattern for something else, with the reason. */
  readonly exceptions?: Readonly<Record<string, string>>
}

const SINGLE_IMPLEMENTATIONS: readonly SingleImplementation[] = [
  {
    idea: 'path containment',
    home: 'src/shared/path-containment.ts',
    pattern:
      /(?:startsWith|indexOf)\((?:['"`]\.\.|.*(?:\bsep\b|\+ ?['"`][\\/]|\}[\\/]{1,2}`))|\brelative\(.*(?:startsWith|['"`]\.\.)/,
    example: "return path === folder || path.startsWith(folder + '/')",
    exceptions: { 'src/edits/patch/parse-patch.ts': 'strips the a/ or b/ of a diff header' },
  },
  {
    idea: 'ending processes',
    home: 'src/system/processes/end-processes.ts',
    pattern: /\.kill\(|\btaskkill\b/,
    example: "process.kill(-pid, 'SIGKILL')",
    exceptions: {
      'src/system/processes/process-identity.ts': 'signal 0 only checks whether a process runs',
      'src/ports/search/run-ripgrep.ts': 'its direct child, which starts no processes',
      'src/system/run-git.ts': 'its direct child, whose end it waits for; git ends its own children',
      'src/ports/sandbox/bubblewrap/closed-network.ts': 'its direct child, whose own children die with it',
      'src/terminal/editor/': 'cuts text, as editors call it',
      'src/terminal/screen/screen.ts': 'stops or ends this process itself',
      'src/ports/terminal/pty-session.ts': 'hangs up like a closed window, then ends the tree as for any command',
    },
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
      'src/cli/agent-session/record-to-file.ts': 'refuses to overwrite a recording',
      'src/cli/commands/inspect/run-inspect.ts': 'refuses to overwrite a file of the user',
      'src/cli/commands/interactive/slash/session-commands.ts': 'refuses to overwrite a file of the user',
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
      'src/ports/sandbox/protect/move-away.ts': 'renames what git must not use, and replaces nothing',
      'src/mcp/client/server-log.ts': 'rotates a log',
      'src/system/worktrees/remove-worktree.ts': 'moves whole folders to a new place, and replaces nothing',
      'src/ports/checkpoints/prune-checkpoints.ts': 'moves unneeded content aside before it is removed',
      'src/ports/files/': 'replaces a file only if it still is what was read, within a journaled change',
    },
  },
  {
    idea: 'flushing to the disk',
    home: 'src/system/',
    pattern: /sync(?:Sync)?\(descriptor|\.(?:data)?sync\(\)/,
    example: 'fsyncSync(descriptor)',
  },
  {
    idea: 'searching PATH',
    home: 'src/system/find-program.ts',
    pattern: /\bX_OK\b|split\(delimiter\)/,
    example: 'PATH.split(delimiter)',
  },
  {
    idea: 'running git for Haft itself',
    home: 'src/system/run-git.ts',
    pattern: /(?:execFile|spawn)\w*\)?\(\s*'git'/,
    example: "await promisify(execFile)('git', args, { cwd })",
  },
  {
    idea: 'the limit of timers',
    home: 'src/shared/waiting.ts',
    pattern: /2 \*\* 31 - 1|2_?147_?483_?647|2_?147_?483\b/,
    example: 'const MAX_DELAY_MS = 2 ** 31 - 1',
  },
  {
    idea: 'recognising a promise of any library',
    home: 'src/shared/maybe-promise.ts',
    pattern: /\.then === 'function'/,
    example: "return isObject(value) && typeof value.then === 'function'",
  },
  {
    idea: 'parsing a command',
    home: 'src/shell/',
    pattern: /from 'unbash'/,
    example: "import { parse } from 'unbash'",
  },
  {
    idea: 'writing to the terminal',
    home: 'src/cli/io/standard-output.ts',
    pattern: /\bprocess\.(?:stdout|stderr)\b|\bconsole\.\w|\bwriteSync\([12]\b|\bstdio:.*'inherit'/,
    example: 'process.stdout.write(answer)',
    exceptions: {
      'src/cli/commands/interactive/run-interactive.ts': 'hands it to the screen, which escapes all text',
      'src/terminal/editor/external-editor.ts': 'the editor of the user gets the terminal',
      'src/mcp/client/open-transport.ts': 'the streams of a server process',
      'src/mcp/client/stdio-transport.ts': 'the streams of a server process',
      'src/tools/repl/prompt.ts': 'describes the console of the interpreter',
    },
  },
  {
    idea: 'escape sequences for the terminal',
    home: 'src/cli/io/styled-text.ts',
    pattern: /['"`](?:\\u001b|\\x1b|\\u\{1b\}|\\e)\[/i,
    example: ['const red = `', 'u001b[31m`'].join('\\'),
    exceptions: {
      'src/shared/plain-output.ts': 'removes them from the output of commands',
      'src/terminal/screen/': 'moves the cursor; text comes from toAnsi, which escapes it',
      'src/terminal/input/': 'reads those that the terminal sends',
    },
  },
  {
    idea: 'splitting text into the characters that people see',
    home: 'src/shared/graphemes.ts',
    pattern: /new Intl\.Segmenter/,
    example: 'const segmenter = new Intl.Segmenter()',
  },
  {
    idea: 'cutting text without splitting a character',
    home: 'src/shared/cut-text.ts',
    pattern:
      /\.(?:slice|substring)\((?:0, |-)MAX_\w*(?:CHARS|CHARACTERS|LENGTH)\b|0xd800|\[\\u[dD]800-\\u[dD][bB][fF]{2}\]/,
    example: 'text.slice(0, MAX_TEXT_CHARS)',
    exceptions: {
      'src/shared/nearest-names.ts': 'compared, not shown',
      'src/tool-search/rank/': 'searched, not shown',
      'src/contract/mcp/name.ts': 'the result is ASCII',
      'src/providers/common/sendable-': 'ids and names are ASCII',
      'src/edits/plan-edit.ts': 'checks the ends of a match',
      'src/edits/explain-edit.ts': 'compared, not shown',
      'src/edits/text/find-text.ts': 'searched, not shown',
      'src/shell/words/read-word.ts': 'recognises surrogates',
      'src/session/transcript/write/transcript.ts': 'a list of whole characters',
      'src/ports/sandbox/explain/explain-refusals.ts': 'searched, not shown',
    },
  },
  {
    idea: 'waiting with a limit or until aborted',
    home: 'src/shared/waiting.ts',
    // A race, or a promise that a timer settles.
    pattern: /Promise\.race\(|new Promise\b.*(?:\n.*){0,3}?\bsetTimeout\(/,
    example: 'await Promise.race([work, sleep(1_000)])',
    exceptions: {
      'src/calls/cancellation.ts': 'the timer starts only when the call is cancelled',
      'src/calls/feed-calls.ts': 'the next call or the end of the run',
      'src/cli/commands/run/run-message.ts': 'room for a result or the end of writing',
      'src/ports/sandbox/bubblewrap/closed-network.ts': 'the first message of a process or its end',
      'src/ports/shell/create-shell-port.ts': 'the end of the output or its limit in bytes',
      'src/session/agents/start-agent.ts': 'an abort counts only until the agent has begun',
      'src/tools/documents/pdf-thread.ts': 'the answer of a thread or its memory limit',
      'src/tools/web-fetch/convert-page.ts': 'the answer of a thread or its memory limit',
    },
  },
]

const SOURCE_FILES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(name) && !/^testing|\/fixture-/.test(name))
  .map((name) => join('src', name))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

function findViolations({ home, pattern, exceptions = {} }: SingleImplementation): readonly string[] {
  const allowedFiles = [home, ...Object.keys(exceptions)]
  return SOURCE_FILES.filter(({ path }) => !allowedFiles.some((prefix) => path.startsWith(prefix))).flatMap(
    ({ path, text }) =>
      Array.from(
        text.matchAll(new RegExp(pattern, 'g')),
        ({ 0: code, index }) => `${path}:${text.slice(0, index).split('\n').length} ${code}`,
      ),
  )
}

function isFoundIn(prefix: string, { pattern }: SingleImplementation): boolean {
  return SOURCE_FILES.some(({ path, text }) => path.startsWith(prefix) && pattern.test(text))
}

describe.each(SINGLE_IMPLEMENTATIONS)('$idea', (idea) => {
  test(`is implemented only in ${idea.home}`, () => {
    expect(findViolations(idea)).toEqual([])
  })

  test('would be detected in another file', () => {
    expect(idea.pattern.test(idea.example)).toBe(true)
  })

  test(`is found in ${idea.home}`, () => {
    expect(isFoundIn(idea.home, idea)).toBe(true)
  })

  test('has no unnecessary exception', () => {
    const unneededExceptions = Object.keys(idea.exceptions ?? {}).filter((prefix) => !isFoundIn(prefix, idea))
    expect(unneededExceptions).toEqual([])
  })
})

const UNBOUNDED_READ =
  /(?:\b(?:readFile|readFileSync|open|openSync|createReadStream|openAsBlob)|\* as \w+|\bimport (?!type\b)\w+)\b[^'"]*from 'node:fs/

test('the sandbox and the repository probe read files only with src/system/read-regular-file.ts', () => {
  // Files there belong to a project or a command: a pipe would block Haft, and an endless file would fill its memory.
  const exceptions = ['src/ports/sandbox/explain/machine-facts.ts'] // Reads tables of the kernel.
  const readers = SOURCE_FILES.filter(({ path }) => /^src\/ports\/(?:sandbox|repository)\//.test(path))
    .filter(({ text }) => UNBOUNDED_READ.test(text))
    .map(({ path }) => path)

  expect(readers).toEqual(exceptions)
  for (const names of ['{ readFileSync, renameSync }', '{\n  open,\n}', '* as fs', 'fs'])
    expect(UNBOUNDED_READ.test(`import ${names} from 'node:fs'`)).toBe(true)
})

test.each([
  ['path containment', 'if (!inner.startsWith(outer + sep)) throw outside(inner)'],
  ['path containment', "return inner.startsWith(outer.endsWith('/') ? outer : outer + '/')"],
  ['path containment', "const isOutside = relative(folder, path).startsWith('..')"],
  ['path containment', "if (below.startsWith('..')) return false"],
  ['ending processes', 'process.kill(pid, signal)'],
  ['ending processes', "child.kill('SIGTERM')"],
  ['writing to the terminal', 'console.log(answer)'],
  ['writing to the terminal', 'fs.writeSync(2, text)'],
  ['writing to the terminal', "spawn(program, [], { stdio: 'inherit' })"],
])('%s would also be detected in %s', (name, line) => {
  expect(SINGLE_IMPLEMENTATIONS.find(({ idea }) => idea === name)?.pattern.test(line)).toBe(true)
})
