import { expect, test } from 'vitest'
import { FixtureMcpCommand } from '../fixture-mcp-command.js'

function createClients(): FixtureMcpCommand {
  const fixture = new FixtureMcpCommand()
  fixture.write('home/.config/Claude/claude_desktop_config.json', {
    mcpServers: { files: { command: 'npx', args: ['-y', 'files'] } },
  })
  fixture.write('home/.claude.json', {
    mcpServers: {
      files: { type: 'stdio', command: 'npx', args: ['-y', 'files'] },
      web: { type: 'http', url: 'https://web.example/mcp', headers: { Authorization: 'Bearer abc' } },
    },
    projects: { [fixture.project]: { mcpServers: { here: { command: 'here' } } } },
  })
  fixture.write('home/.cursor/mcp.json', '{ // a comment\n "mcpServers": { "files": { "command": "other" } } }')
  fixture.write('home/.config/Code/User/mcp.json', {
    inputs: [{ id: 'api-key', type: 'promptString' }],
    servers: {
      'My Server!': {
        type: 'stdio',
        command: `\${userHome}/bin/x`,
        env: { KEY: `\${input:api-key}`, OTHER: `\${env:OTHER}` },
      },
      broken: { type: 'stdio' },
    },
  })
  fixture.write(
    'home/.codex/config.toml',
    [
      '[mcp_servers.docs]',
      'command = "docs"',
      'env_vars = ["DOCS_TOKEN"]',
      'startup_timeout_sec = 20',
      '[mcp_servers.remote]',
      'url = "https://remote.example/mcp"',
      'bearer_token_env_var = "REMOTE_TOKEN"',
      'enabled = false',
    ].join('\n'),
  )
  return fixture
}

test('the servers of all clients are added, each once and in the form of Haft', async () => {
  const fixture = createClients()
  fixture.variables.WEB_TOKEN = 'abc'

  const { code, out, err } = await fixture.run('import', '--yes')

  expect(code).toBe(0)
  expect(JSON.parse(fixture.read('home/.haft/settings.json')).mcpServers).toEqual({
    files: { command: 'npx', args: ['-y', 'files'] },
    'files-2': { command: 'other' },
    web: { url: 'https://web.example/mcp', headers: { Authorization: `Bearer \${WEB_TOKEN}` } },
    here: { command: 'here' },
    'My-Server': { command: `${fixture.home}/bin/x`, env: { KEY: `\${API_KEY}`, OTHER: `\${OTHER}` } },
    docs: { command: 'docs', env: { DOCS_TOKEN: `\${DOCS_TOKEN}` }, startTimeoutMs: 20_000 },
    remote: {
      url: 'https://remote.example/mcp',
      headers: { Authorization: `Bearer \${REMOTE_TOKEN}` },
      disabled: true,
    },
  })
  expect(out).toContain('set the variable API_KEY')
  expect(err).toContain('the server "broken" of VS Code is skipped: a server needs a command or a url.')
})

test('nothing is added without consent, and secrets are not shown', async () => {
  const fixture = createClients()

  const refused = await fixture.run('import', 'claude-code')
  expect(refused.code).toBe(3)
  expect(refused.out).toContain('the value of Authorization is copied')
  expect(refused.out).not.toContain('abc')
  fixture.user = { answer: 'n' }
  expect((await fixture.run('import')).out).toContain('Nothing was added.')
  expect(() => fixture.read('home/.haft/settings.json')).toThrow('ENOENT')
})

test('a server that exists is not changed', async () => {
  const fixture = createClients()
  fixture.write('home/.haft/settings.json', { mcpServers: { files: { command: 'mine' } } })

  const { out } = await fixture.run('import', 'claude-desktop', '--yes')

  expect(out).toBe('files of Claude Desktop exists already and is not changed.\nThere is nothing to add.\n')
  expect(fixture.read('home/.haft/settings.json')).toContain('"mine"')
})

test('an invalid file is reported and does not affect others', async () => {
  const fixture = createClients()
  fixture.write('home/.codex/config.toml', 'not = = toml')

  const { code, err } = await fixture.run('import', 'codex', 'cursor', '--yes')

  expect(code).toBe(0)
  expect(err).toContain('config.toml cannot be read')
  expect(fixture.read('home/.haft/settings.json')).toContain('"other"')
})

test('without server lists the files that were looked for are named', async () => {
  const { code, out } = await new FixtureMcpCommand().run('import', 'cursor')

  expect(code).toBe(0)
  expect(out).toContain('/home/.cursor/mcp.json')
})

test('an unknown client is a usage error', async () => {
  expect(await new FixtureMcpCommand().run('import', 'emacs')).toMatchObject({
    code: 2,
    err: expect.stringContaining('unknown client "emacs". Use claude-desktop'),
  })
})
