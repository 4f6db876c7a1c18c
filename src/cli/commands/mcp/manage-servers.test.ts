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
const readStates = async () => {
  const servers: { name: string; source: string; state: string }[] = JSON.parse((await haft.run('list', '--json')).out)
  return servers.map(({ name, source, state }) => [name, source, state])
}

describe('haft mcp add', () => {
  test('saves a command with its arguments and variables in the file of its scope', async () => {
    await trust()

    const { code, out, err } = await haft.run('add', 'files', '--env', 'KEY=a=b', '--', 'npx', '-y', 'server', '--help')

    expect({ code, out, err }).toEqual({
      code: 0,
      out: `Added files to ${haft.project}/.haft/settings.local.json.\n`,
      err: '',
    })
    expect(JSON.parse(haft.read('project/.haft/settings.local.json'))).toEqual({
      mcpServers: { files: { command: 'npx', args: ['-y', 'server', '--help'], env: { KEY: 'a=b' } } },
    })
    expect(statSync(join(haft.project, '.haft/settings.local.json')).mode & 0o777).toBe(0o600)
    expect(await readStates()).toEqual([['files', 'local', 'ready']])
  })

  test('saves a URL and keeps the rest of the file', async () => {
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
    expect(haft.read('project/.mcp.json')).toBe(`{
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
    expect(await readStates()).toEqual([
      ['one', 'project', 'unapproved'],
      ['web', 'project', 'ready'],
    ])
  })

  test('recognises a URL, and saves the OAuth options', async () => {
    await haft.run('add', 'web', 'https://h/mcp', '--scope', 'user', '--client-id', 'me', '--callback-port', '8080')

    expect(JSON.parse(haft.read('home/.haft/settings.json'))).toEqual({
      mcpServers: { web: { type: 'http', url: 'https://h/mcp', oauth: { clientId: 'me', callbackPort: 8080 } } },
    })
  })

  test('warns that servers of an untrusted project are not started', async () => {
    const { err } = await haft.run('add', 'files', 'cat')

    expect(err).toBe(
      `haft: ${haft.project} is not trusted, so its servers are not started (run haft trust, or use --scope user).\n`,
    )
    expect(await readStates()).toEqual([['files', 'local', 'untrusted']])
  })

  test('overwrites neither an existing server nor a malformed file', async () => {
    await haft.run('add', '-s', 'user', 'one', 'x')
    const repeatedAddition = await haft.run('add', '-s', 'user', 'one', 'y')
    haft.write('project/.mcp.json', '{ "mcpServers": ')
    const brokenResult = await haft.run('add', '-s', 'project', 'one', 'x')

    expect(repeatedAddition).toEqual({
      code: 1,
      out: '',
      err: `haft: ${haft.home}/.haft/settings.json already contains a server one; remove it first.\n`,
    })
    expect([brokenResult.code, brokenResult.out]).toEqual([1, ''])
    expect(brokenResult.err).toMatch(/\.mcp\.json: expected a value\. Fix the file first; nothing was saved\.\n$/)
    expect(haft.read('project/.mcp.json')).toBe('{ "mcpServers": ')
  })
})

describe('wrong usage', () => {
  test.each([
    [['add'], /expected a name/],
    [['add', 'x'], /expected a name, then a URL, or -- and a command/],
    [['add', 'a b', 'x'], /invalid server name "a b"/],
    [['add', 'x', '--scope', 'all', 'y'], /unknown scope "all"\. Use local, project, user/],
    [['add', 'x', '--transport', 'pipe', 'y'], /unknown transport "pipe"/],
    [['add', 'x', '--header', 'A: secret', '--', 'y'], /--header is only for servers with a URL/],
    [['add', 'x', '--client-id', 'i', '--', 'y'], /--client-id is only for servers with a URL/],
    [['add', 'x', 'https://h', '--env', 'A=secret'], /--env is only for commands/],
    [['add', 'x', 'https://h', '--header', 'secret'], /--header has an invalid value; write --header "NAME: VALUE"/],
    [['add', 'x', 'https://h', '--callback-port', 'ten'], /oauth\.callbackPort: /],
    [['add', 'x', 'https://h', 'more'], /unexpected argument "more" after the URL/],
    [['add', 'x', 'y', '-q'], /unknown option/i],
    [['ad'], /unknown subcommand "ad" of haft mcp\. Did you mean add\?/],
    [[], /missing subcommand: haft mcp add\|list/],
    [['get', 'nothing'], /unknown MCP server "nothing"/],
    [['get', 'a', 'b'], /expected one server: haft mcp get NAME/],
    [['remove', 'nothing'], /no MCP server "nothing" in the settings files/],
    [['list', 'x'], /list takes no arguments/],
    [['test'], /missing server name/],
    [['test', 'x', '--mcp-config', 'none.json'], /none\.json does not exist; --mcp-config takes a file or JSON/],
    [['test', 'x', '--mcp-config', '{'], /--mcp-config: expected/],
    [['test', 'x', '--mcp-config', '{}'], /the object "mcpServers" is missing/],
  ])('of haft mcp with %j is reported in one line without secrets', async (args, message) => {
    const { code, out, err } = await haft.run(...args)

    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
    expect(err.trimEnd()).not.toContain('\n')
    expect(err).not.toContain('secret')
  })
})

describe('haft mcp list and get', () => {
  test('show the source and state of servers, but no secrets', async () => {
    haft.variables.TOKEN = 'hunter2'
    haft.write('home/.haft/settings.json', {
      mcpServers: {
        good: { command: 'npx', args: ['a b', `\${TOKEN}`], env: { A: 'hunter2', B: `\${TOKEN}` } },
        off: { command: 'x', disabled: true },
        unset: { command: `\${NOT_SET}` },
        web: { url: 'https://h/mcp', headers: { Authorization: 'Bearer hunter2' }, oauth: { clientSecret: 'hunter2' } },
      },
    })

    const listResult = await haft.run('list')
    const getResult = await haft.run('get', 'good')
    const jsonResult = await haft.run('list', '--json')

    expect(listResult.out).toBe(`good   user  ready     npx 'a b' '\${TOKEN}'
off    user  disabled  x
unset  user  broken    the variable NOT_SET is not set; set it, or write \${NOT_SET:-default}
web    user  ready     https://h/mcp
`)
    expect(getResult.out).toBe(`good: ready
  from    user (${haft.home}/.haft/settings.json)
  command npx 'a b' '\${TOKEN}' (stdio)
  env     A=…
  env     B=\${TOKEN}
`)
    expect(JSON.parse(jsonResult.out)).toMatchObject([
      { name: 'good', type: 'stdio', command: 'npx', env: { A: '…' } },
      { name: 'off', state: 'disabled' },
      { name: 'unset', state: 'broken', reason: expect.stringContaining('NOT_SET') },
      { name: 'web', type: 'http', headers: { Authorization: '…' }, oauth: { clientSecret: '…' } },
    ])
    expect(listResult.out + getResult.out + jsonResult.out).not.toContain('hunter2')
  })

  test('explain how to add a server if there is none', async () => {
    expect((await haft.run('list')).out).toBe('No MCP servers configured. Add one with haft mcp add NAME -- COMMAND.\n')
    expect(readdirSync(haft.home)).toEqual([])
  })

  test('show the active server and the one of an untrusted project with the same name', async () => {
    haft.write('project/.mcp.json', { mcpServers: { one: { command: './evil' } } })
    haft.write('home/.haft/settings.json', { mcpServers: { one: { command: 'mine' } } })

    expect(await readStates()).toEqual([
      ['one', 'user', 'ready'],
      ['one', 'project', 'untrusted'],
    ])
    expect((await haft.run('get', 'one')).out).toContain('command mine')

    await trust()
    expect(await readStates()).toEqual([['one', 'project', 'unapproved']])
  })
})

describe('haft mcp approve', () => {
  test('shows everything that is approved: command, arguments and variables', async () => {
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

  test('approves a server until its configuration changes', async () => {
    await trust()
    haft.write('project/.mcp.json', { mcpServers: { one: { command: 'x', args: ['1'] } } })
    expect(await readStates()).toEqual([['one', 'project', 'unapproved']])

    expect(await haft.run('approve', 'one')).toEqual({ code: 0, out: 'Approved one: x 1\n', err: '' })
    expect(await readStates()).toEqual([['one', 'project', 'ready']])

    haft.write('project/.mcp.json', { mcpServers: { one: { command: 'x', args: ['2'] } } })
    expect(await readStates()).toEqual([['one', 'project', 'unapproved']])
    expect(statSync(join(haft.home, '.haft/mcp/approvals.json')).mode & 0o777).toBe(0o600)
  })

  test('reports that servers in the user settings need no approval, and rejects invalid servers', async () => {
    haft.write('home/.haft/settings.json', { mcpServers: { mine: { command: 'x' }, bad: {} } })

    expect((await haft.run('approve', 'mine')).out).toBe('mine needs no approval: it is in your own settings.\n')
    expect(await haft.run('approve', 'bad')).toMatchObject({ code: 2 })
  })
})

describe('haft mcp remove', () => {
  test('removes a server and its approval', async () => {
    await trust()
    await haft.run('add', '-s', 'project', 'one', 'x')
    await haft.run('add', '-s', 'project', 'two', 'y')

    expect(await haft.run('remove', 'one')).toEqual({
      code: 0,
      out: `Removed one from ${haft.project}/.mcp.json.\n`,
      err: '',
    })
    await haft.run('remove', 'two')

    expect(JSON.parse(haft.read('project/.mcp.json'))).toEqual({ mcpServers: {} })
    expect(existsSync(join(haft.home, '.haft/mcp/approvals.json'))).toBe(false)
  })

  test('requires --scope if the server is in several scopes', async () => {
    await haft.run('add', '-s', 'user', 'one', 'x')
    await haft.run('add', '-s', 'local', 'one', 'y')

    const { code, err } = await haft.run('remove', 'one')
    expect([code, err.includes('in the scopes local and user; choose one with --scope')]).toEqual([2, true])

    expect((await haft.run('remove', 'one', '--scope', 'user')).code).toBe(0)
    expect((await haft.run('remove', 'one', '--scope', 'user')).code).toBe(2)
    expect(await readStates()).toEqual([['one', 'local', 'untrusted']])
  })
})
