import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { FixtureAuthServer } from '../../../mcp/auth/fixture-auth-server.js'
import { trustProject } from '../../../settings/trust.js'
import { FixtureMcpCommand } from './fixture-mcp-command.js'

const EVERYTHING_SERVER = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

/** A minimal server: it creates a file on start, writes to standard error and lists one valid and two invalid tools. */
const SERVER_SOURCE = `
import { createInterface } from 'node:readline'
import { writeFileSync } from 'node:fs'
writeFileSync(process.argv[2], 'started')
console.error('warming up\\u001b[2J')
const schema = { type: 'object', properties: {} }
const tools = [{ name: 'send', description: process.env.DESCRIPTION, inputSchema: schema }, { name: 'bad', inputSchema: 1 }, 7]
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
let startMarker: string
beforeEach(() => {
  haft = new FixtureMcpCommand()
  startMarker = join(haft.root, 'start-marker')
  haft.write('server.mjs', SERVER_SOURCE)
})

const createTinyServer = (description = 'Sends.') => ({
  command: process.execPath,
  args: [join(haft.root, 'server.mjs'), startMarker],
  env: { DESCRIPTION: description },
})
const configure = (entry: unknown) => haft.write('home/.haft/settings.json', { mcpServers: { tiny: entry } })

test('haft mcp test reports server info, capabilities, refused tools and the log', async () => {
  configure(createTinyServer())

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

test('haft mcp test uses a server from --mcp-config, even if other servers in it are invalid', async () => {
  haft.write('project/servers.json', { mcpServers: { bad: { command: 1 }, tiny: { command: 'not-this-one' } } })
  const overridingConfig = JSON.stringify({ mcpServers: { tiny: createTinyServer() } })

  const { code, err } = await haft.run('test', 'tiny', '--mcp-config', 'servers.json', '--mcp-config', overridingConfig)

  expect(code).toBe(0)
  expect(err).toBe(
    'haft: command line: mcpServers.bad.command: Invalid input: expected string, received number. The server is not started.\n',
  )
})

test('haft mcp test connects to a real server', async () => {
  configure({ command: process.execPath, args: [EVERYTHING_SERVER] })

  const { code, out } = await haft.run('test', 'tiny')

  expect(code).toBe(0)
  expect(out).toMatch(/tools {5}\d\d/)
})

test('haft mcp test shows the changes of tools since their approval until the user accepts them', async () => {
  configure(createTinyServer())
  await haft.run('test', 'tiny', '--accept')
  configure(createTinyServer('Sends, and reads your keys.'))

  const changedResult = await haft.run('test', 'tiny')
  expect(changedResult.out).toContain(
    '  changed   send: description: "Sends." is now "Sends, and reads your keys."\n  Approve the changes with haft mcp test tiny --accept.\n',
  )

  expect((await haft.run('test', 'tiny', '--accept')).out).toContain('The changes are now approved.')
  expect((await haft.run('test', 'tiny')).out).not.toContain('changed')
  const [pins = ''] = readdirSync(join(haft.home, '.haft/mcp'))
  expect(statSync(join(haft.home, '.haft/mcp', pins)).mode & 0o777).toBe(0o600)
})

describe('haft mcp test does not start a server', () => {
  const project = (entry: unknown) => haft.write('project/.mcp.json', { mcpServers: { tiny: entry } })

  test('of an untrusted project, unless --trust is given', async () => {
    project(createTinyServer())

    const refusedOutcome = await haft.run('test', 'tiny')
    expect(refusedOutcome).toEqual({
      code: 3,
      out: '',
      err: 'haft: tiny is not started: the project is not trusted (run haft trust, or use --trust for this run).\n',
    })
    expect(existsSync(startMarker)).toBe(false)

    expect((await haft.run('test', 'tiny', '--trust')).code).toBe(0)
    expect(existsSync(startMarker)).toBe(true)
  })

  test('of a trusted project without approval, until the user approves it', async () => {
    await trustProject(haft.project, { home: haft.home })
    project(createTinyServer())

    const headlessOutcome = await haft.run('test', 'tiny')
    haft.user = { answer: 'n' }
    const refusedOutcome = await haft.run('test', 'tiny')

    expect([headlessOutcome.code, refusedOutcome.code, existsSync(startMarker)]).toEqual([3, 3, false])
    expect(headlessOutcome.err).toContain('haft mcp approve tiny')
    expect(refusedOutcome.err).toContain(`server tiny runs: ${process.execPath}`)
    expect(refusedOutcome.err).toContain('env     DESCRIPTION=Sends.')

    haft.user = { answer: 'y' }
    expect((await haft.run('test', 'tiny')).code).toBe(0)
    haft.user = undefined
    expect((await haft.run('test', 'tiny')).code).toBe(0)
  })

  test('with an invalid configuration', async () => {
    configure({ ...createTinyServer(), cwd: `\${NOT_SET}` })

    const { code, err } = await haft.run('test', 'tiny')

    expect([code, existsSync(startMarker)]).toEqual([1, false])
    expect(err).toMatch(/^haft: cannot start tiny: the variable NOT_SET is not set/)
  })
})

describe('a failed connection', () => {
  test('is reported in one line, with the end of the log', async () => {
    configure({ command: 'sh', args: ['-c', 'echo "no license" >&2; exit 3'] })

    const { code, out, err } = await haft.run('test', 'tiny')

    expect([code, out]).toEqual([1, ''])
    // A server that exits during version negotiation is started again without negotiation.
    expect(err).toMatch(/^haft: cannot connect to tiny: [^\n]+\.\n(?: {2}log {7}no license\n){2}$/)
    const json = JSON.parse((await haft.run('test', 'tiny', '--json')).out)
    expect(json).toMatchObject({ ok: false, log: 'no license\nno license' })
  })

  test('is reported after the configured time limit', async () => {
    configure({ command: 'sleep', args: ['1000'], startTimeoutMs: 200 })

    const { code, err } = await haft.run('test', 'tiny')

    expect([code, err]).toEqual([1, 'haft: cannot connect to tiny: it did not answer within 0.2 s.\n'])
  })

  test('is reported with the name of a command that does not exist', async () => {
    configure({ command: 'haft-no-such-program' })

    expect((await haft.run('test', 'tiny')).err).toBe(
      'haft: cannot connect to tiny: haft-no-such-program is not installed or not on PATH.\n',
    )
  })
})

describe('a server that requires sign-in', () => {
  test('is reported if there is no terminal', async () => {
    const server = await FixtureAuthServer.start()
    configure({ url: server.url })

    expect(await haft.run('test', 'tiny')).toEqual({
      code: 3,
      out: '',
      err: 'haft: cannot connect to tiny: sign-in required; run haft mcp test in a terminal.\n',
    })
  })

  test('makes the command open the browser and print the URL', async () => {
    const server = await FixtureAuthServer.start()
    const openedUrls: string[] = []
    haft.user = {
      browse: async (url) => {
        openedUrls.push(url)
        await fetch(url)
      },
    }
    configure({ url: server.url })

    const { err } = await haft.run('test', 'tiny')

    expect(openedUrls[0]).toContain(`${server.origin}/authorize?`)
    expect(err).toContain(`Sign in to tiny in your browser: ${openedUrls[0]}\n`)
    // The fixture has no MCP server behind its sign-in, so only the sign-in succeeds.
    expect(err).not.toContain('sign-in required')
    expect(server.tokenRequests).toHaveLength(1)
  })
})
