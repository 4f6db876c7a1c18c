import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testWithProgram } from '../testing/test-with-program.js'
import { agents, commands } from './commands.js'
import type { CommandHost, CommandIo } from './io/command.js'
import { runCli } from './run-cli.js'

const rejectHost = () => Promise.reject(new Error('this command needs no host'))
/** A host in a folder without settings. */
const emptyHost = { cwd: '/empty/project', homeDir: '/empty/home' } as CommandHost

async function run(args: string[], overrides: Partial<CommandIo> = {}) {
  let out = ''
  let err = ''
  const code = await runCli(
    {
      args,
      variables: { PATH: '' },
      platform: 'linux',
      homeDir: '/empty/home',
      columns: undefined,
      isTerminal: false,
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
      host: async () => emptyHost,
      ...overrides,
    },
    commands,
    agents,
  )
  return { code, out, err }
}

test('--version prints one line', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: '0.0.0-source\n', err: '' })
})

describe('haft', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])('with %j lists every command', async (args) => {
    const { code, out } = await run(args)
    expect(code).toBe(0)
    for (const { name, help } of commands) expect(out).toContain(`${name.padEnd(11)}  ${(await help()).summary}`)
  })

  test.each([[['-p', '--help']], [['--model', 'x', '-h']], [['help', '-p']]])(
    'with %j prints the help of the agent',
    async (args) => {
      expect(await run(args)).toMatchObject({
        code: 0,
        out: expect.stringContaining('--output-format text|json|stream-json'),
      })
    },
  )

  test.each([[['tools', '--help']], [['help', 'tools']], [['tools', 'show', '-h']]])(
    'with %j prints the help of one command',
    async (args) => {
      expect(await run(args)).toMatchObject({ code: 0, out: expect.stringContaining('haft tools show NAME') })
    },
  )
})

describe('wrong usage of haft', () => {
  test.each([
    [['tolos'], 'haft: unknown command "tolos". Did you mean tools? See haft --help.\n'],
    [['--tools'], "haft: option '--tools <value>' argument missing\n"],
    [['--frobnicate'], "haft: unknown option '--frobnicate'.\n"],
    [['-p', 'x', '--frobnicate'], "haft: unknown option '--frobnicate'.\n"],
    [['tools', '-p'], "haft: unknown option '-p'.\n"],
    [['do this for me'], 'haft: pass the prompt with -p: haft -p "…".\n'],
    [['tools', '--jsn'], "haft: unknown option '--jsn'. Did you mean --json?\n"],
    [['tools', '--tools'], "haft: option '--tools <value>' argument missing\n"],
    [['tools', '--tools', 'Slep'], 'haft: unknown tool or preset "Slep". Did you mean Sleep or Grep or LSP?\n'],
    [['tools', 'list'], 'haft: unknown subcommand "list" of haft tools. See haft tools --help.\n'],
    [['tools', 'show'], 'haft: expected one tool: haft tools show NAME.\n'],
    [['tools', 'show', 'a', 'b'], 'haft: expected one tool: haft tools show NAME.\n'],
    [['tools', 'show', 'Tasklist'], 'haft: unknown tool "Tasklist". Did you mean TaskList? See haft tools.\n'],
    [['tools', 'search'], 'haft: missing query: haft tools search QUERY.\n'],
    [['tools', '--json', 'search', 'x'], 'haft: search must be the first argument: haft tools search QUERY.\n'],
    [['tools', 'search', 'x', '--max-results', '0'], 'haft: --max-results must be a positive integer, not "0".\n'],
    [['tools', 'search', 'x', '--max-results', '1e2'], 'haft: --max-results must be a positive integer, not "1e2".\n'],
    [
      ['tools', 'search', '--jsonl'],
      'haft: --jsonl reads queries from standard input: haft tools search --jsonl --catalog FILE.\n',
    ],
    [['doctor', 'me'], 'haft: doctor takes no arguments. See haft doctor --help.\n'],
    [['no\nname'], 'haft: unknown command "no\\nname". See haft --help.\n'],
  ])('with %j prints one line and exits with code 2', async (args, err) => {
    expect(await run(args)).toEqual({ code: 2, out: '', err })
  })
})

test('an internal error prints one line and exits with code 1; the stack is printed only if HAFT_DEBUG is set', async () => {
  const brokenCommands = [
    {
      name: 'x',
      help: async () => ({ summary: '', usage: [] }),
      load: () => Promise.reject(new Error('disk\n  on fire')),
    },
  ]
  const io = {
    args: ['x'],
    platform: 'linux',
    homeDir: undefined,
    columns: undefined,
    isTerminal: false,
    out: () => {},
    host: rejectHost,
  }
  const lines: string[] = []
  const err = (text: string) => void lines.push(text)

  expect(await runCli({ ...io, variables: {}, err }, brokenCommands)).toBe(1)
  expect(lines).toEqual(['haft: disk on fire\n'])
  await runCli({ ...io, variables: { HAFT_DEBUG: '1' }, err }, brokenCommands)
  expect(lines.join('')).toContain('run-cli.test')
})

test('a very long command name is reported in one short line', async () => {
  const { code, err } = await run([' '.repeat(1_000_000)])
  expect(code).toBe(2)
  expect(err.length).toBeLessThan(200)
})

describe('haft tools', () => {
  test('prints one line per tool, none wider than the terminal', async () => {
    const { out } = await run(['tools'], { columns: 40 })
    const lines = out.split('\n')
    expect(lines[0]).toMatch(/^Agent {13}give a task to a sub/)
    expect(Math.max(...lines.map((line) => line.length))).toBe(40)
  })

  test('respects environment variables and reports an invalid value', async () => {
    const { out, err } = await run(['tools', '--json'], { variables: { HAFT_SIMPLE: '1', HAFT_INTERNAL: 'perhaps' } })
    expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual(['Bash', 'Edit', 'Read'])
    expect(err).toBe('haft: Ignoring invalid value HAFT_INTERNAL="perhaps"; use 1 or 0.\n')
  })

  test('offers only the tools of simple mode with --bare', async () => {
    const { out } = await run(['tools', '--bare'])
    expect(out).toMatch(/^Bash {2}execute shell commands .*\nEdit {2}.*\nRead {2}.*\n\n3 tools, 0 deferred/)
  })

  describe('with --why', () => {
    test.each([
      [
        {},
        /TeamDelete +deferred: the tool sets shouldDefer\nToolSearch +always loaded: it searches for the other tools/,
      ],
      [
        {},
        /\nMode tst: deferred tools are never sent before they are loaded.\nCarrier portable: .*not known to support/,
      ],
      [{ HAFT_TOOL_SEARCH: 'auto:5' }, /\nMode tst-auto \(5%\): all definitions are sent: .* of 200000 tokens\)/],
      [{ HAFT_TOOL_SEARCH: 'false' }, /\nMode standard: all definitions are sent: tool search is disabled/],
      [{ HAFT_DISABLE_EXPERIMENTAL_BETAS: '1' }, /\nCarrier portable: HAFT_DISABLE_EXPERIMENTAL_BETAS is set/],
      [{ HAFT_SIMPLE: '1' }, /\nMode tst: all definitions are sent: ToolSearch is not in the pool/],
    ])('shows why tools are deferred, given the variables %j', async (variables, reason) => {
      expect((await run(['tools', '--why'], { variables })).out).toMatch(reason)
    })

    test('adds the reason to each row of --json', async () => {
      const { out } = await run(['tools', '--why', '--json', '--tools', 'TaskList'])
      expect(JSON.parse(out)).toMatchObject([
        { name: 'TaskList', deferred: true, why: 'deferred: the tool sets shouldDefer' },
      ])
    })
  })

  test('lists only the tools that --tools selects', async () => {
    const { out } = await run(['tools', '--json', '--tools', 'Sleep'])
    expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual(['Sleep'])
  })
})

describe('haft tools show', () => {
  test('shows the parameters and the description for the model', async () => {
    expect((await run(['tools', 'show', 'Sleep'])).out).toMatchInlineSnapshot(`
      "Sleep
      wait for some time · built-in · deferred · read-only · concurrent

      Parameters:
        seconds (number): How long to wait, in seconds; at most 3600

      Description for the model:
        Waits without using a shell.

        - Use it when there is nothing to do until some time has passed: a remote build, a rate limit, a service that is starting.
        - The user may interrupt it at any time; the result says how long it actually waited.
        - Prefer a few long waits to many short ones: each wake-up costs a request.
        - To wait for a background task, use TaskOutput: it returns as soon as the task ends.
      "
    `)
  })

  test('prints the definition as JSON', async () => {
    const { out } = await run(['tools', 'show', 'TaskGet', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      name: 'TaskGet',
      deferred: true,
      definition: { input_schema: { required: ['taskId'] } },
    })
  })

  test('reports that a tool is disabled', async () => {
    expect(await run(['tools', 'show', 'Sleep', '--bare'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('Sleep is disabled here'),
    })
  })
})

describe('haft doctor', () => {
  test('fails if a required program is missing, and shows how to install it', async () => {
    const { code, out } = await run(['doctor'])
    expect(code).toBe(1)
    expect(out).toMatch(/^!! {2}bash +runs shell commands; apt-get install bash$/m)
    expect(out).toContain('Haft needs bash.')
  })

  test('prints the findings as JSON', async () => {
    const { code, out } = await run(['doctor', '--json'], { variables: process.env })
    expect(code).toBe(0)
    expect(JSON.parse(out).findings).toContainEqual({
      name: 'bash',
      status: 'found',
      detail: expect.stringMatching(/bash$/),
    })
  })

  test('reports a missing home folder', async () => {
    const { code, out } = await run(['doctor'], { variables: process.env, homeDir: undefined })
    expect(code).toBe(0)
    expect(out).toMatch(/^-- {2}settings +no home folder/m)
  })

  testWithProgram('bwrap', 'bubblewrap')('tests the sandbox without leaving files in the home folder', async () => {
    const home = await mkdtemp(join(tmpdir(), 'haft-doctor-'))
    const { out } = await run(['doctor'], { variables: process.env, homeDir: home })
    expect(out).toMatch(/^ok {2}sandbox +\S+bwrap ran a test command; all read-only commands run without asking$/m)
    expect(await readdir(home)).toEqual([])
    await rm(home, { recursive: true })
  })

  test.each([
    [{}, /^-- {2}model .*Set ANTHROPIC_API_KEY/m, 'but haft -p has no model; see the line "model" above.'],
    [{ ANTHROPIC_API_KEY: 'secret' }, /^ok {2}model +claude-\S+ of anthropic, key from ANTHROPIC_API_KEY$/m, 'ready.'],
    [
      { HAFT_MODEL: 'gpt-9', OPENAI_API_KEY: 'secret' },
      /^ok {2}model +gpt-9 of openai, key from OPENAI_API_KEY$/m,
      'ready.',
    ],
    [
      { HAFT_MODEL: 'tiny', OPENAI_BASE_URL: 'http://me:secret@localhost:1/v1/secret?key=secret' },
      /^ok {2}model +tiny of openai at http:\/\/localhost:1, no key$/m,
      'ready.',
    ],
  ])('shows the model but never the key: %j', async (variables, line, conclusion) => {
    const { code, out } = await run(['doctor'], { variables: { PATH: process.env.PATH, ...variables } })
    expect(code).toBe(0)
    expect(out).toMatch(line)
    expect(out).not.toContain('secret')
    expect(out.trimEnd().endsWith(conclusion)).toBe(true)
  })

  test('reports a missing sandbox', async () => {
    const { out } = await run(['doctor'], { platform: 'win32' })
    expect(out).toMatch(/^-- {2}sandbox +there is no sandbox for win32; without a sandbox, only simple commands/m)
  })

  test('skips programs of other platforms', async () => {
    expect((await run(['doctor'], { platform: 'win32' })).out).not.toContain('bubblewrap')
  })
})
