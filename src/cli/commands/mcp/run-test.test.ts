import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { FixtureAuthServer } from '../../../mcp/auth/fixture-auth-server.js'
import { trustProject } from '../../../settings/trust.js'
import { FixtureMcpCommand } from './fixture-mcp-command.js'

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

/** Speaks just enough: it leaves a mark when it starts, complains, and lists one good tool and two bad ones. */
const SERVER = `
import { createInterface } from 'node:readline'
import { writeFileSync } from 'node:fs'
writeFileSync(process.argv[2], 'started')
console.error('warming up\\u001b[2J')
const schema = { type: 'object', properties: {} }
const tools = [{ name: 'send', description: process.env.SAYS, inputSchema: schema }, { name: 'bad', inputSchema: 1 }, 7]
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'tiny', version: '1.2' } },
  'tools/list': { tools },
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  const result = answers[method]
  const error = { code: -32601, message: 'unknown' }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
}
`

let haft: FixtureMcpCommand
let mark: string
beforeEach(() => {
  haft = new FixtureMcpCommand()
  mark = join(haft.top, 'mark')
  haft.write('server.mjs', SERVER)
})

const tiny = (says = 'Sends.') => ({
  command: process.execPath,
  args: [join(haft.top, 'server.mjs'), mark],
  env: { SAYS: says },
})
const configure = (entry: unknown) => haft.write('home/.haft/settings.json', { mcpServers: { tiny: entry } })

test('tells what a server is, what it offers, what is refused and what it complained of', async () => {
  configure(tiny())

  expect(await haft.run('test', 'tiny')).toEqual({
    code: 0,
    out: `tiny is connected.
  server    tiny 1.2
  protocol  2025-06-18
  offers    logging, tools
  tools     1
  refused   bad: its input schema is not an object
  refused   (no name): it is not an object
  log       warming up
`,
    err: '',
  })
  expect(JSON.parse((await haft.run('test', 'tiny', '--json')).out)).toMatchObject({
    name: 'tiny',
    ok: true,
    serverVersion: '1.2',
    tools: ['send'],
    changed: [],
  })
})

test('takes servers from the command line, whose bad ones lose no others', async () => {
  haft.write('project/servers.json', { mcpServers: { bad: { command: 1 }, tiny: { command: 'not-this-one' } } })
  const later = JSON.stringify({ mcpServers: { tiny: tiny() } })

  const { code, err } = await haft.run('test', 'tiny', '--mcp-config', 'servers.json', '--mcp-config', later)

  expect(code).toBe(0)
  expect(err).toBe(
    'haft: command line: mcpServers.bad.command: Invalid input: expected string, received number. The server is not started.\n',
  )
})

test('reaches a real server', async () => {
  configure({ command: process.execPath, args: [EVERYTHING] })

  const { code, out } = await haft.run('test', 'tiny')

  expect(code).toBe(0)
  expect(out).toMatch(/tools {5}\d\d/)
})

test('shows what changed since it was approved, until that is accepted', async () => {
  configure(tiny())
  await haft.run('test', 'tiny', '--accept')
  configure(tiny('Sends, and reads your keys.'))

  const changed = await haft.run('test', 'tiny')
  expect(changed.out).toContain(
    '  changed   send: description: "Sends." is now "Sends, and reads your keys."\n  haft mcp test tiny --accept approves these changes.\n',
  )

  expect((await haft.run('test', 'tiny', '--accept')).out).toContain('These changes are approved now.')
  expect((await haft.run('test', 'tiny')).out).not.toContain('changed')
  const [pins = ''] = readdirSync(join(haft.home, '.haft/mcp'))
  expect(statSync(join(haft.home, '.haft/mcp', pins)).mode & 0o777).toBe(0o600)
})

describe('starts nothing', () => {
  const project = (entry: unknown) => haft.write('project/.mcp.json', { mcpServers: { tiny: entry } })

  test('of a project that is not trusted, unless this run trusts it', async () => {
    project(tiny())

    const refused = await haft.run('test', 'tiny')
    expect(refused).toEqual({
      code: 3,
      out: '',
      err: 'haft: tiny is not started: the project is not trusted (--trust trusts it).\n',
    })
    expect(existsSync(mark)).toBe(false)

    expect((await haft.run('test', 'tiny', '--trust')).code).toBe(0)
    expect(existsSync(mark)).toBe(true)
  })

  test('of a trusted project that nobody approved, until a person says yes', async () => {
    await trustProject(haft.project, { home: haft.home })
    project(tiny())

    const headless = await haft.run('test', 'tiny')
    haft.person = { answer: 'n' }
    const refused = await haft.run('test', 'tiny')

    expect([headless.code, refused.code, existsSync(mark)]).toEqual([3, 3, false])
    expect(headless.err).toContain('haft mcp approve tiny')
    expect(refused.err).toContain(`would start: ${process.execPath}`)
    expect(refused.err).toContain('env     SAYS=Sends.')

    haft.person = { answer: 'y' }
    expect((await haft.run('test', 'tiny')).code).toBe(0)
    haft.person = undefined
    expect((await haft.run('test', 'tiny')).code).toBe(0)
  })

  test('that is broken', async () => {
    configure({ ...tiny(), cwd: `\${NOT_SET}` })

    const { code, err } = await haft.run('test', 'tiny')

    expect([code, existsSync(mark)]).toEqual([1, false])
    expect(err).toMatch(/^haft: tiny cannot be started: the variable NOT_SET is not set/)
  })
})

describe('a server that cannot be reached', () => {
  test('is told in one line, with its last words', async () => {
    configure({ command: 'sh', args: ['-c', 'echo "no license" >&2; exit 3'] })

    const { code, out, err } = await haft.run('test', 'tiny')

    expect([code, out]).toEqual([1, ''])
    // One that ends when it is asked for its revision is started once more, and not asked.
    expect(err).toMatch(/^haft: tiny could not be reached: [^\n]+\.\n(?: {2}log {7}no license\n){2}$/)
    const json = JSON.parse((await haft.run('test', 'tiny', '--json')).out)
    expect(json).toMatchObject({ ok: false, log: 'no license\nno license' })
  })

  test('is not waited for longer than it is given', async () => {
    configure({ command: 'sleep', args: ['1000'], startTimeoutMs: 200 })

    const { code, err } = await haft.run('test', 'tiny')

    expect([code, err]).toEqual([1, 'haft: tiny could not be reached: it did not answer within 0.2 s.\n'])
  })

  test('does not exist', async () => {
    configure({ command: 'haft-no-such-program' })

    expect((await haft.run('test', 'tiny')).err).toBe(
      'haft: tiny could not be reached: haft-no-such-program is not installed or not on PATH.\n',
    )
  })
})

describe('a server that wants a person to sign in', () => {
  test('says so where nobody is there', async () => {
    const server = await FixtureAuthServer.start()
    configure({ url: server.url })

    expect(await haft.run('test', 'tiny')).toEqual({
      code: 3,
      out: '',
      err: 'haft: tiny could not be reached: it wants you to sign in; run haft mcp test in a terminal.\n',
    })
  })

  test('is signed in to in the browser, whose address is printed', async () => {
    const server = await FixtureAuthServer.start()
    const opened: string[] = []
    haft.person = {
      browse: async (url) => {
        opened.push(url)
        await fetch(url)
      },
    }
    configure({ url: server.url })

    const { err } = await haft.run('test', 'tiny')

    expect(opened[0]).toContain(`${server.origin}/authorize?`)
    expect(err).toContain(`Sign in to tiny in your browser: ${opened[0]}\n`)
    // The fixture guards an address behind which there is no MCP server: it is let through, and no further.
    expect(err).not.toContain('wants you to sign in')
    expect(server.tokenRequests).toHaveLength(1)
  })
})
