import { defineConfig } from 'vitest/config'

/** Slow tests of the whole system: `npm run test:system`. All others run with `npm test`, which must stay under four minutes. */
const SYSTEM_TESTS = [
  // They kill processes, fill disks or cut the power, many times.
  'test/{agent-crash,agent-disk-and-locks,snip,checkpoints-full-disk,killed-tools,power-loss,schedule,session-crash,team-processes,workflow-crash}.test.ts',
  'src/ports/{files/killed,shell/hanging-commands,shell/host-death}.test.ts',
  // PostgreSQL servers and worker processes.
  'test/fleet*.test.ts',
  // Another process replaces files while calls use them.
  'test/{folder-flips,link-flips}.test.ts',
  // Thousands of commands, analysed or run under strace, in bash or in an interpreter.
  'test/{bash-safety-fuzz,observed-arity,observed-options,observed-read-only,shell-words,small-languages-fuzz}.test.ts',
  'src/shell/families/unlisted-options.test.ts',
  // Hundreds of cases with real files.
  'test/{attack-rules,blocking,commands,commands-permissions,rewind}.test.ts',
  'test/file-tools-{interrupted-order,permissions,serial,start-times}.test.ts',
  'src/calls/serial-equivalence.test.ts',
  // Commands in the sandbox.
  'src/ports/sandbox/confined-*.test.ts',
  'test/denied-reads-in-tools.test.ts',
  'src/ports/sandbox/reading/denied-files.test.ts',
  // The built command with servers of models and of MCP; `headless.test.ts` and `command-line.test.ts` run always.
  'test/agent-*.test.ts',
  'test/acp/*.test.ts',
  'test/headless-*.test.ts',
  'test/{agents-command-line,aimock-*,demo,denied-definitions,hidden-api-keys,hook-reports,instructions}.test.ts',
  'test/{login,long-texts,masked-secrets,sessions-command,own-programs,package,project-commands,secret-variables,terminal-output}.test.ts',
  // The page of the inspector in a browser.
  'test/inspector/browser.test.ts',
  'test/{mcp-*,runtime-mcp,web-browser-process,web-fetch-addresses}.test.ts',
  'src/mcp/manager/{faulty,http,modern}-servers.test.ts',
  // The interactive program in a terminal; `interactive.test.ts` runs always.
  'test/terminal/{complaints-*,endurance,interactive-*,killed,screen,tmux,untrusted-programs}.test.ts',
  // The recorded tasks of the ledger.
  'test/economy.test.ts',
  // Builds, bundles, mounts and worktrees.
  'test/{agents-worktree,bench,case-insensitive-mount,code-cache,features,sdk-bundle}.test.ts',
]

/** Tests that need a process of their own, because they mock a module or measure the whole process. */
const ISOLATED_TESTS = [
  'src/ports/shell/command-files.test.ts',
  'src/results/spill-memory.test.ts',
  'src/system/processes/end-processes.test.ts',
  'src/tools/every-tool.test.ts',
  'test/runtime-leaks.test.ts',
]

export default defineConfig({
  define: { __HAFT_VERSION__: '"0.0.0-source"' },
  test: {
    // Tests often run as root in a container, where bypassing permissions is refused otherwise.
    env: { HAFT_SANDBOX: '1' },
    setupFiles: ['test/lib/property-seed.ts'],
    // The limits only end tests that hang: on a loaded machine, the start of a program may take many seconds.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    // Most of the time goes to programs that tests start and wait for.
    maxWorkers: '100%',
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...SYSTEM_TESTS, ...ISOLATED_TESTS],
          typecheck: { enabled: true, include: ['src/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
          // The files share processes and loaded modules. A process for each file would take half of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED_TESTS, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'system', include: SYSTEM_TESTS, sequence: { groupOrder: 2 } } },
    ],
  },
})
