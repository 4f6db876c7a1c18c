import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, run } = createHeadlessFixture()
const userFile = () => at('home/.haft/settings.json')

async function writeProjectSettings(value: object) {
  await mkdir(file('.haft'), { recursive: true })
  await writeFile(file('.haft/settings.json'), JSON.stringify(value))
}

describe('haft trust', () => {
  test('shows what the project would switch on, and changes nothing without a terminal or --yes', async () => {
    const hook = { matcher: 'Read', hooks: [{ type: 'command', command: './check.sh' }] }
    await writeProjectSettings({
      permissions: { allow: ['Bash(npm test)'], deny: ['Read(secret.txt)'] },
      hooks: { PreToolUse: [hook] },
      mcpServers: { clock: { command: 'clock-server', args: ['--utc'] } },
    })
    await mkdir(file('.haft/skills/review'), { recursive: true })

    const { code, stdout, stderr } = await run(['trust'])

    expect({ code, stdout: stdout.replaceAll(at('project'), 'PROJECT') }).toEqual({
      code: 2,
      stdout: [
        'Trusting PROJECT switches on:',
        '  PROJECT/.haft/settings.json: permissions.allow, hooks, mcpServers',
        '  allowed without a question: Bash(npm test)',
        '  hook: PreToolUse: ./check.sh',
        '  MCP server: clock: clock-server --utc',
        '  files in .haft/skills',
        '',
      ].join('\n'),
    })
    expect(stderr).toContain('To trust it: haft trust --yes.')
    expect((await run(['trust', '--list'])).stdout).toBe('No project is trusted.\n')
  })

  test('the advice of a refused call leads to the goal in an untrusted project', async () => {
    const write = ['call', 'Write', JSON.stringify({ file_path: file('new.txt'), content: 'new' })]
    const refused = await run(write)
    expect(refused.code).toBe(3)
    const [, rule = ''] = /add "([^"]+)" to permissions\.allow in \.haft\/settings\.json/.exec(refused.stdout) ?? []
    expect(refused.stdout).toContain('of a trusted project (haft trust)')
    await writeProjectSettings({ permissions: { allow: [rule] } })
    expect((await run(write)).stderr).toContain('run haft trust')

    expect(await run(['trust', '--yes'])).toMatchObject({ code: 0 })

    expect((await run(['trust', '--list'])).stdout).toBe(`${at('project')}\n`)
    expect(await run(write)).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(file('new.txt'), 'utf8')).toBe('new')
    expect((await run(['trust', '--revoke'])).stdout).toBe(`${at('project')} is no longer trusted.\n`)
    expect((await run(['trust', '--list'])).stdout).toBe('No project is trusted.\n')
  })

  test('the home folder cannot be trusted', async () => {
    expect(await run(['trust', '--yes'], { cwd: at('home') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is or contains the home folder'),
    })
  })
})

describe('haft config', () => {
  test('changes, reads, lists and removes settings of the user', async () => {
    expect(await run(['config', 'set', 'theme', 'light'])).toMatchObject({
      code: 0,
      stdout: `theme = "light" in ${userFile()}\n`,
    })
    expect((await stat(userFile())).mode & 0o777).toBe(0o600)
    expect((await run(['config', 'get', 'theme'])).stdout).toBe('light\n')
    expect((await run(['config', 'list'])).stdout).toContain(`theme = "light"  (${userFile()})`)
    expect((await run(['config', 'unset', 'theme'])).code).toBe(0)
    expect(await run(['config', 'get', 'theme'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('theme is not set'),
    })
  })

  test.each([
    [['config', 'set', 'theem', 'light'], 'Did you mean theme?'],
    [['config', 'set', 'theme', 'purple'], 'not a value of theme'],
    [['config', 'set', 'hooks', '{}'], 'haft config edit'],
    [['config', 'sett', 'theme', 'light'], 'Did you mean set'],
    [['config', 'set', 'theme'], 'missing argument: haft config set NAME VALUE.'],
  ])('haft %j says what to do instead, and changes nothing', async (args, advice) => {
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(advice) })
    await expect(stat(userFile())).rejects.toThrow('ENOENT')
  })

  test('edit without a terminal creates the file with its schema and prints its path', async () => {
    expect((await run(['config', 'edit', '--project'])).stdout).toBe(`${file('.haft/settings.json')}\n`)
    expect(JSON.parse(await readFile(file('.haft/settings.json'), 'utf8'))).toHaveProperty('$schema')
  })
})

describe('haft init', () => {
  test('writes a draft of AGENTS.md and a settings file that loads without problems', async () => {
    await writeFile(file('package.json'), JSON.stringify({ scripts: { test: 'vitest', secret: 'x' } }))

    const { code, stdout } = await run(['init'])

    expect({ code, lines: stdout.split('\n').length }).toEqual({ code: 0, lines: 4 })
    expect(stdout).toContain('haft trust')
    expect(await readFile(file('AGENTS.md'), 'utf8')).toMatch(/^# project\n[\s\S]*- `npm run test`\n/)
    expect((await run(['trust', '--yes'])).code).toBe(0)
    expect(await run(['call', 'Read', JSON.stringify({ file_path: file('a.txt') })])).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  test('keeps existing files', async () => {
    await writeFile(file('AGENTS.md'), 'mine\n')
    await writeProjectSettings({ theme: 'light' })

    expect((await run(['init'])).stdout).toContain('exists, unchanged')

    expect(await readFile(file('AGENTS.md'), 'utf8')).toBe('mine\n')
    expect(await readFile(file('.haft/settings.json'), 'utf8')).toBe('{"theme":"light"}')
  })
})
