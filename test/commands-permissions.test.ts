import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildFileToolsCli, createHomeAndProject } from './lib/commands-fixture.js'
import { HaftProcess, type Line, runHaft } from './lib/haft-process.js'

let folder: string
let mainPath: string
let home: string
let project: string

beforeAll(async () => {
  ;({ folder, main: mainPath } = await buildFileToolsCli('haft-permission-commands-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

beforeEach(async () => {
  ;({ home, project } = await createHomeAndProject(folder))
})

const run = (
  args: readonly string[],
  options: { input?: string | Uint8Array; variables?: Record<string, string> } = {},
) => runHaft(mainPath, args, { cwd: project, home, ...options })
const start = (...args: string[]) => new HaftProcess(mainPath, args, { cwd: project, home })
const parseLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const toInput = (...values: readonly unknown[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')

async function writeSettings(value: object, name = 'settings.json'): Promise<void> {
  await mkdir(join(project, '.haft'), { recursive: true })
  await writeFile(join(project, '.haft', name), JSON.stringify(value))
}

describe('an untrusted project', () => {
  const writeArgs = ['call', 'Write', '{"file_path":"n.txt","content":"x"}']
  const readDeniedArgs = ['call', 'Read', '{"file_path":"a.txt"}']

  beforeEach(() =>
    writeSettings({
      permissions: { allow: ['Write'], deny: ['Read(a.txt)'], defaultMode: 'acceptEdits' },
      hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'touch hooked' }] }] },
    }),
  )

  test('can only make permissions stricter, and the user is informed', async () => {
    const { code, stderr } = await run(writeArgs)
    expect(code).toBe(3)
    expect(stderr).toBe(
      `haft: ${join(project, '.haft/settings.json')}: permissions.allow, permissions.defaultMode, hooks ignored: the project is not trusted (run haft trust, or use --trust for this run).\n`,
    )
    expect(await run(readDeniedArgs)).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/Read\(a\.txt\).*denies/),
    })
    await expect(stat(join(project, 'hooked'))).rejects.toThrow('ENOENT')
  })

  test('has all its settings applied for one run with --trust', async () => {
    expect(await run([...writeArgs, '--trust'])).toMatchObject({ code: 0, stderr: '' })
    expect((await stat(join(project, 'hooked'))).isFile()).toBe(true)
    expect(await run([...readDeniedArgs, '--trust'])).toMatchObject({ code: 3 })
    expect(await run(writeArgs)).toMatchObject({ code: 3 })
  })
})

test('rules that can never match and invalid settings files are reported at the start', async () => {
  await writeSettings({ permissions: { deny: ['Raed'], ask: 5 } })
  const { code, stdout, stderr } = await run(['call', 'Read', '{"file_path":"a.txt"}'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'alpha\n' })
  expect(stderr).toMatch(/settings\.json:1:\d+: .*ask.*\n/)
  expect(stderr).toContain(
    'haft: the deny rule "Raed" (projectSettings) never matches: Unknown tool Raed. Did you mean Read?\n',
  )
})

describe('haft permissions', () => {
  test.each([
    ['rm -rf /', 'it would delete / and everything in it'],
    ['rm -rf .', 'it would delete . and everything in it'],
  ])('explain says what %s would delete', async (command, reason) => {
    const { stdout } = await run(['permissions', 'explain', 'Bash', JSON.stringify({ command })])
    expect(stdout).toContain(`Bash needs approval: ${reason}.`)
  })

  test('explain prints the decision and every step that led to it', async () => {
    const { code, stdout } = await run(['permissions', 'explain', 'Write', '{"file_path":"n","content":""}'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "ask: Write, not read-only, in mode default
      default: it may change something
      Write needs approval: it may change something.
      To allow this call, add to permissions.allow: Edit(/n).

      deny rules   pass   no deny rule matches
      ask rules    pass   no ask rule matches
      tool         pass   the tool has no check of its own
      safety       pass   the call writes no protected file
      mode         pass   the mode default does not decide this call
      allow rules  pass   no allow rule covers it
      read-only    pass   it may change something
      question     ask    it may change something
      "
    `)
    const json = await run([
      ...['permissions', 'explain', 'Write', '{"file_path":"n","content":""}'],
      ...['--json', '--permission-mode', 'acceptEdits'],
    ])
    expect(JSON.parse(json.stdout)).toMatchObject({
      tool: 'Write',
      mode: 'acceptEdits',
      behavior: 'allow',
      readOnly: false,
    })
  })

  test('check answers each line in order, by the given rules only', async () => {
    await writeSettings({ permissions: { deny: ['Read(a.txt)'] } })
    const file = { file_path: 'a.txt' }
    const { code, stdout } = await run(['permissions', 'check', '--jsonl'], {
      input: toInput(
        { id: 'settings', tool: 'Read', input: file },
        { id: 'rules', tool: 'Read', input: file, rules: {} },
        {
          id: 3,
          tool: 'Write',
          input: { file_path: 'src/n', content: '' },
          rules: { allow: ['Edit(/src/**)'] },
          cwd: '/none',
        },
        { id: 4, tool: 'Read', input: { file_path: '/etc/passwd' } },
        { id: 5, tool: 'Write', input: { file_path: 'n', content: '' }, mode: 'plan' },
        { id: 'plan', tool: 'ExitPlanMode', input: { plan: 'x' }, mode: 'plan', rules: { allow: ['ExitPlanMode'] } },
        { id: 6, tool: 'Nope', input: {} },
        { id: 7, tool: 'Read', input: { file: 'a.txt' } },
        { id: 8, tool: 'Read', input: file, mode: 'none' },
        { id: 9, tool: 'Read', input: file, rules: { deny: 'Read' } },
        { id: [], tool: 'Read', input: file },
      ),
    })
    expect(code).toBe(0)
    expect(parseLines(stdout).map(({ id, behavior, readOnly, reason }) => [id, behavior, readOnly, reason])).toEqual([
      [
        'settings',
        'deny',
        true,
        expect.objectContaining({ type: 'rule', rule: 'Read(a.txt)', source: 'projectSettings' }),
      ],
      ['rules', 'allow', true, { type: 'directory', text: expect.any(String) }],
      [3, 'allow', false, expect.objectContaining({ type: 'rule', rule: 'Edit(/src/**)' })],
      [4, 'ask', true, { type: 'directory', text: expect.any(String) }],
      [5, 'deny', false, { type: 'mode', text: expect.any(String) }],
      ['plan', 'ask', false, { type: 'tool', text: expect.stringContaining('Approve this plan') }],
      ...[6, 7, 8, 9, null].map((id) => [id, 'deny', false, { type: 'input', text: expect.any(String) }]),
    ])
  })

  test('check answers while input is still open, and runs nothing', async () => {
    await writeSettings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch hooked' }] }] } })
    const process = start('permissions', 'check', '--jsonl', '--trust')
    process.send({ id: 1, tool: 'Bash', input: { command: 'touch ran' }, rules: { allow: ['Bash'] } })
    expect(await process.next()).toMatchObject({ id: 1, behavior: 'allow', readOnly: false })
    process.send('{')
    expect(await process.next()).toEqual({ line: 2, error: expect.stringContaining('line 2 is not JSON') })
    expect(await process.finish()).toEqual({ code: 1, lines: [], stderr: '' })
    for (const name of ['ran', 'hooked']) await expect(stat(join(project, name))).rejects.toThrow('ENOENT')
  })

  test('check answers a thousand lines, one for each', async () => {
    const requests = Array.from({ length: 1_000 }, (_, id) =>
      id % 2 === 0
        ? { id, tool: 'Read', input: { file_path: `src/${id}.ts` } }
        : { id, tool: 'Bash', input: { command: `rm ${id}` }, rules: { deny: [`Bash(rm ${id})`] } },
    )
    const { code, stdout } = await run(['permissions', 'check', '--jsonl'], { input: toInput(...requests) })
    expect(code).toBe(0)
    expect(parseLines(stdout).map(({ id, behavior }) => [id, behavior])).toEqual(
      requests.map(({ id }) => [id, id % 2 === 0 ? 'allow' : 'deny']),
    )
  })

  test('check needs no working directory if the line names one', async () => {
    const request = { id: 1, tool: 'Read', input: { file_path: 'a.txt' }, cwd: project, mode: 'default', rules: {} }
    const removedFolder = await mkdtemp(join(folder, 'gone-'))
    const command = 'cd "$1" && rmdir "$1" && printf "%s\\n" "$2" | "$3" "$4" permissions check --jsonl'
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', command, 'sh', removedFolder, JSON.stringify(request), process.execPath, mainPath],
      { env: { PATH: process.env.PATH, HOME: home } },
    )
    expect(parseLines(stdout)).toMatchObject([{ id: 1, behavior: 'allow', readOnly: true }])
  })

  test.each([
    [['check'], /^haft: check accepts only JSON lines/],
    [['list'], /^haft: unknown subcommand "list" of haft permissions/],
    [['explain', 'Read'], /^haft: expected a tool and its input/],
    [['explain', 'Nope', '{}'], /^haft: unknown tool "Nope"/],
  ])('%j is wrong usage', async (args, stderr) => {
    expect(await run(['permissions', ...args])).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) })
  })
})
