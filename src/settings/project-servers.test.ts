import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LoadSettingsOptions, loadSettings } from './load-settings.js'

let top: string
let home: string
let project: string

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-servers-')))
  home = join(top, 'home')
  project = join(top, 'project')
  await mkdir(home)
  await mkdir(join(project, '.git'), { recursive: true })
})
afterEach(() => rm(top, { recursive: true }))

const load = (options: Partial<LoadSettingsOptions> = {}) =>
  loadSettings({ cwd: project, home, policyPath: join(top, 'policy.json'), isTrusted: () => true, ...options })

async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
}

const writeServers = (content: unknown) => write(join(project, '.mcp.json'), content)
const server = (command: string) => ({ command })

test('project servers rank below the project settings and above the user settings', async () => {
  await writeServers({ mcpServers: { a: server('mcp.json') }, inputs: [] })
  await write(join(project, '.haft/settings.json'), { mcpServers: { a: server('project') } })
  await write(join(project, '.haft/settings.local.json'), { mcpServers: { a: server('local') } })
  await write(join(home, '.haft/settings.json'), { mcpServers: { a: server('user') } })

  const { mcpServers, problems } = await load({ cliArg: { mcpServers: { a: server('command line') } } })

  expect(problems).toEqual([])
  expect(mcpServers).toEqual([
    { source: 'cliArg', base: project, servers: { a: server('command line') } },
    createLayer('localSettings', '.haft/settings.local.json', 'local'),
    createLayer('projectSettings', '.haft/settings.json', 'project'),
    createLayer('projectSettings', '.mcp.json', 'mcp.json'),
    { source: 'userSettings', base: home, file: join(home, '.haft/settings.json'), servers: { a: server('user') } },
  ])

  function createLayer(source: string, file: string, command: string) {
    return { source, base: project, file: join(project, file), servers: { a: server(command) } }
  }
})

test('servers of an untrusted project are ignored and reported', async () => {
  await writeServers({ mcpServers: { evil: server('./evil') } })

  const { mcpServers, withheld } = await load({ isTrusted: () => false })

  expect(mcpServers).toEqual([])
  expect(withheld).toEqual([
    { source: 'projectSettings', file: join(project, '.mcp.json'), reason: 'untrusted', keys: ['mcpServers'] },
  ])
})

test('only servers are read from .mcp.json', async () => {
  await writeServers({ mcpServers: {}, permissions: { allow: ['Bash'] }, hooks: { Stop: [] }, env: { A: '1' } })

  const { permissionContext, hooks, env, other } = await load()

  expect({ hooks, env, other }).toEqual({ hooks: [], env: {}, other: {} })
  expect(permissionContext.alwaysAllowRules).toEqual({})
})

describe('a problem', () => {
  test('is reported with file, line and key, and affects only its server', async () => {
    await writeServers(
      '{\n  "mcpServers": {\n    "bad": { "command": "x", "args": ["a", 1] },\n    "good": { "command": "y" }\n  }\n}',
    )

    const { mcpServers, problems } = await load()

    expect(problems.map(({ message }) => message)).toEqual([
      `${join(project, '.mcp.json')}:3:44: mcpServers.bad.args[1]: Invalid input: expected string, received number. The server is not started.`,
    ])
    expect(mcpServers[0]?.servers).toMatchObject({ good: { command: 'y' } })
  })

  test.each([
    [{}, 'mcpServers.s: a server needs a command or a url. The server is not started.'],
    [
      { command: 'x', url: 'http://h' },
      'mcpServers.s.url: use either command or url, not both. The server is not started.',
    ],
    [{ command: 'x', type: 'http' }, 'mcpServers.s.type: http needs a url. The server is not started.'],
    [{ url: 'http://h', type: 'stdio' }, 'mcpServers.s.type: stdio needs a command. The server is not started.'],
    [
      { url: 'http://h', headers: { 'a b': 'c' } },
      'mcpServers.s.headers.a b: Invalid key in record. The server is not started.',
    ],
    ['npx server', 'mcpServers.s: Invalid input: expected object, received string. The server is not started.'],
    [{ command: 'x', timeout: 5 }, 'unknown key "mcpServers.s.timeout" has no effect. Did you mean timeoutMs?'],
    [{ command: 'x', headers: {} }, 'unknown key "mcpServers.s.headers" has no effect.'],
  ])('in the server entry %j is reported with its key', async (entry, message) => {
    await write(join(home, '.haft/settings.json'), { mcpServers: { s: entry } })

    const { problems } = await load()

    expect(problems.map((problem) => problem.message.replace(/^\S+: /, ''))).toEqual([message])
  })

  test.each(['', '{ "mcpServers": ', '[]', '{ "mcpServers": [] }'])(
    'with the whole file (%j) does not affect modes or rules',
    async (text) => {
      await writeServers(text)
      await write(join(home, '.haft/settings.json'), { permissions: { defaultMode: 'acceptEdits' } })

      const { problems, isComplete, permissionContext, mcpServers } = await load()

      expect(problems).toHaveLength(1)
      expect(problems[0]?.message).toMatch(/\.mcp\.json.*: .*(none of its servers are|No server is) started\.$/)
      expect({ isComplete, mode: permissionContext.mode, mcpServers }).toEqual({
        isComplete: true,
        mode: 'acceptEdits',
        mcpServers: [],
      })
    },
  )

  test('with the encoding of .mcp.json does not make the settings incomplete', async () => {
    await writeFile(join(project, '.mcp.json'), Uint8Array.of(0x7b, 0xff, 0x7d))

    const { problems, isComplete } = await load()

    expect(problems[0]?.message).toMatch(/\.mcp\.json: is not UTF-8 text\. It is ignored\.$/)
    expect(isComplete).toBe(true)
  })

  test('is not reported if .mcp.json is a folder', async () => {
    await mkdir(join(project, '.mcp.json'))

    expect((await load()).problems).toEqual([])
  })
})
