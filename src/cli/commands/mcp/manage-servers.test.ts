import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { trustProject } from '../../../settings/trust.js'
import { FixtureMcpCommand } from './fixture-mcp-command.js'

let haft: FixtureMcpCommand
beforeEach(() => {
  haft = new FixtureMcpCommand()
})

const trust = () => trustProject(haft.project, { home: haft.home })
const states = async () => {
  const listed: { name: string; source: string; state: string }[] = JSON.parse((await haft.run('list', '--json')).out)
  return listed.map(({ name, source, state }) => [name, source, state])
}

describe('add', () => {
  test('writes a command with its arguments and variables to the file of its scope', async () => {
    await trust()

    const { code, out, err } = await haft.run('add', 'files', '--env', 'KEY=a=b', '--', 'npx', '-y', 'server', '--help')

    expect({ code, out, err }).toEqual({
      code: 0,
      out: `Added files to ${haft.project}/.haft/settings.local.json.\n`,
      err: '',
    })
    expect(JSON.parse(haft.text('project/.haft/settings.local.json'))).toEqual({
      mcpServers: { files: { command: 'npx', args: ['-y', 'server', '--help'], env: { KEY: 'a=b' } } },
    })
    expect(statSync(join(haft.project, '.haft/settings.local.json')).mode & 0o777).toBe(0o600)
    expect(await states()).toEqual([['files', 'local', 'ready']])
  })

  test('writes an address, keeping what else is in the file', async () => {
    haft.write('project/.mcp.json', '{\n  // ours\n  "mcpServers": {\n    "one": { "command": "x" }\n  }\n}\n')
    await trust()

    const { code } = await haft.run(
      'add',
      '-s',
      'project',
      '-t',
      'sse',
      'web',
      'https://h/mcp',
      '-H',
      `X-Key: \${KEY:-v}`,
    )

    expect(code).toBe(0)
    expect(haft.text('project/.mcp.json')).toBe(`{
  // ours
  "mcpServers": {
    "one": { "command": "x" },
    "web": {
      "type": "sse",
      "url": "https://h/mcp",
      "headers": {
        "X-Key": "\${KEY:-v}"
      }
    }
  }
}
`)
    expect(await states()).toEqual([
      ['one', 'project', 'unapproved'],
      ['web', 'project', 'ready'],
    ])
  })

  test('knows an address when it sees one, and what is known about signing in', async () => {
    await haft.run('add', 'web', 'https://h/mcp', '--scope', 'user', '--client-id', 'me', '--callback-port', '8080')

    expect(JSON.parse(haft.text('home/.haft/settings.json'))).toEqual({
      mcpServers: { web: { type: 'http', url: 'https://h/mcp', oauth: { clientId: 'me', callbackPort: 8080 } } },
    })
  })

  test('says that an untrusted project starts nothing', async () => {
    const { err } = await haft.run('add', 'files', 'cat')

    expect(err).toBe(
      `haft: ${haft.project} is not trusted, so that its servers are not started (--trust trusts it for one run; --scope user needs no trust).\n`,
    )
    expect(await states()).toEqual([['files', 'local', 'untrusted']])
  })

  test('does not write over a server, nor into a broken file', async () => {
    await haft.run('add', '-s', 'user', 'one', 'x')
    const again = await haft.run('add', '-s', 'user', 'one', 'y')
    haft.write('project/.mcp.json', '{ "mcpServers": ')
    const broken = await haft.run('add', '-s', 'project', 'one', 'x')

    expect(again).toEqual({
      code: 1,
      out: '',
      err: `haft: ${haft.home}/.haft/settings.json already contains a server one; remove it first.\n`,
    })
    expect([broken.code, broken.out]).toEqual([1, ''])
    expect(broken.err).toMatch(/\.mcp\.json: the file expected a value; correct it first\. Nothing was saved\.\n$/)
    expect(haft.text('project/.mcp.json')).toBe('{ "mcpServers": ')
  })

  test.each([
    [['add'], /say a name/],
    [['add', 'x'], /say a name, then a command behind -- or a URL/],
    [['add', 'a b', 'x'], /"a b" cannot be the name/],
    [['add', 'x', '--scope', 'all', 'y'], /there is no scope "all"; there are local, project, user/],
    [['add', 'x', '--transport', 'pipe', 'y'], /there is no transport "pipe"/],
    [['add', 'x', '--header', 'A: secret', '--', 'y'], /--header is for servers with a URL/],
    [['add', 'x', '--client-id', 'i', '--', 'y'], /--client-id is for servers with a URL/],
    [['add', 'x', 'https://h', '--env', 'A=secret'], /--env is for commands/],
    [['add', 'x', 'https://h', '--header', 'secret'], /write --header "NAME: VALUE"/],
    [['add', 'x', 'https://h', '--callback-port', 'ten'], /oauth\.callbackPort: /],
    [['add', 'x', 'https://h', 'more'], /"more" is one word too many/],
    [['add', 'x', 'y', '-q'], /unknown option/i],
    [['ad'], /there is no command mcp "ad". Did you mean add\?/],
    [[], /say what: haft mcp add\|list/],
    [['get', 'nothing'], /there is no MCP server "nothing"/],
    [['get', 'a', 'b'], /say one server/],
    [['remove', 'nothing'], /there is no MCP server "nothing" in your files/],
    [['list', 'x'], /list takes no names/],
    [['test'], /say the name of a server/],
    [['test', 'x', '--mcp-config', 'none.json'], /none\.json does not exist; give --mcp-config a file or JSON/],
    [['test', 'x', '--mcp-config', '{'], /--mcp-config: needs/],
    [['test', 'x', '--mcp-config', '{}'], /holds no object "mcpServers"/],
  ])('%j is wrong usage, told in a line', async (args, message) => {
    const { code, out, err } = await haft.run(...args)

    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
    expect(err.trimEnd()).not.toContain('\n')
    expect(err).not.toContain('secret')
  })
})

describe('list and get', () => {
  test('show where a server comes from and how it stands, and no secret', async () => {
    haft.variables.TOKEN = 'hunter2'
    haft.write('home/.haft/settings.json', {
      mcpServers: {
        good: { command: 'npx', args: ['a b', `\${TOKEN}`], env: { A: 'hunter2', B: `\${TOKEN}` } },
        off: { command: 'x', disabled: true },
        unset: { command: `\${NOT_SET}` },
        web: { url: 'https://h/mcp', headers: { Authorization: 'Bearer hunter2' }, oauth: { clientSecret: 'hunter2' } },
      },
    })

    const list = await haft.run('list')
    const good = await haft.run('get', 'good')
    const json = await haft.run('list', '--json')

    expect(list.out).toBe(`good   user  ready     npx 'a b' '\${TOKEN}'
off    user  disabled  x
unset  user  broken    the variable NOT_SET is not set; set it, or write \${NOT_SET:-default}
web    user  ready     https://h/mcp
`)
    expect(good.out).toBe(`good: ready
  from    user (${haft.home}/.haft/settings.json)
  starts  npx 'a b' '\${TOKEN}' (stdio)
  env     A=…
  env     B=\${TOKEN}
`)
    expect(JSON.parse(json.out)).toMatchObject([
      { name: 'good', type: 'stdio', command: 'npx', env: { A: '…' } },
      { name: 'off', state: 'disabled' },
      { name: 'unset', state: 'broken', reason: expect.stringContaining('NOT_SET') },
      { name: 'web', type: 'http', headers: { Authorization: '…' }, oauth: { clientSecret: '…' } },
    ])
    expect(list.out + good.out + json.out).not.toContain('hunter2')
  })

  test('of nothing say how to begin', async () => {
    expect((await haft.run('list')).out).toBe('No MCP server is configured. haft mcp add NAME -- COMMAND adds one.\n')
    expect(readdirSync(haft.home)).toEqual([])
  })

  test('show the server that counts, beside the one that an untrusted project would put in its place', async () => {
    haft.write('project/.mcp.json', { mcpServers: { one: { command: './evil' } } })
    haft.write('home/.haft/settings.json', { mcpServers: { one: { command: 'mine' } } })

    expect(await states()).toEqual([
      ['one', 'user', 'ready'],
      ['one', 'project', 'untrusted'],
    ])
    expect((await haft.run('get', 'one')).out).toContain('starts  mine')

    await trust()
    expect(await states()).toEqual([['one', 'project', 'unapproved']])
  })
})

describe('approve', () => {
  test('shows all that is approved: what runs, and what it is told', async () => {
    haft.write('project/.mcp.json', {
      mcpServers: {
        far: { url: 'https://mcp.example/', headers: { 'X-Key': `\${KEY:-}` }, headersHelper: './steal.sh' },
        near: { command: 'node', args: ['s.js'], cwd: 'sub', env: { NODE_OPTIONS: '-r ./evil.js' } },
      },
    })

    expect((await haft.run('approve', 'far')).out).toBe(
      `Approved far: https://mcp.example/\n  header  X-Key: \${KEY:-}\n  helper  ./steal.sh\n`,
    )
    expect((await haft.run('approve', 'near')).out).toBe(
      'Approved near: node s.js\n  in      sub\n  env     NODE_OPTIONS=-r ./evil.js\n',
    )
  })

  test('holds until what is started changes', async () => {
    await trust()
    haft.write('project/.mcp.json', { mcpServers: { one: { command: 'x', args: ['1'] } } })
    expect(await states()).toEqual([['one', 'project', 'unapproved']])

    expect(await haft.run('approve', 'one')).toEqual({ code: 0, out: 'Approved one: x 1\n', err: '' })
    expect(await states()).toEqual([['one', 'project', 'ready']])

    haft.write('project/.mcp.json', { mcpServers: { one: { command: 'x', args: ['2'] } } })
    expect(await states()).toEqual([['one', 'project', 'unapproved']])
    expect(statSync(join(haft.home, '.haft/mcp/approvals.json')).mode & 0o777).toBe(0o600)
  })

  test('is not needed for what the user configured, and not possible for what is broken', async () => {
    haft.write('home/.haft/settings.json', { mcpServers: { mine: { command: 'x' }, bad: {} } })

    expect((await haft.run('approve', 'mine')).out).toBe('mine needs no approval: you configured it yourself.\n')
    expect(await haft.run('approve', 'bad')).toMatchObject({ code: 2 })
  })
})

describe('remove', () => {
  test('takes a server out of its file and forgets what was kept about it', async () => {
    await trust()
    await haft.run('add', '-s', 'project', 'one', 'x')
    await haft.run('add', '-s', 'project', 'two', 'y')

    expect(await haft.run('remove', 'one')).toEqual({
      code: 0,
      out: `Removed one from ${haft.project}/.mcp.json.\n`,
      err: '',
    })
    await haft.run('remove', 'two')

    expect(JSON.parse(haft.text('project/.mcp.json'))).toEqual({ mcpServers: {} })
    expect(existsSync(join(haft.home, '.haft/mcp/approvals.json'))).toBe(false)
  })

  test('asks for the scope where a server is in several', async () => {
    await haft.run('add', '-s', 'user', 'one', 'x')
    await haft.run('add', '-s', 'local', 'one', 'y')

    const { code, err } = await haft.run('remove', 'one')
    expect([code, err.includes('in the scopes local and user; say which with --scope')]).toEqual([2, true])

    expect((await haft.run('remove', 'one', '--scope', 'user')).code).toBe(0)
    expect((await haft.run('remove', 'one', '--scope', 'user')).code).toBe(2)
    expect(await states()).toEqual([['one', 'local', 'untrusted']])
  })
})
