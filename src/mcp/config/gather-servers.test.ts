import { describe, expect, test } from 'vitest'
import type { McpServerLayer } from '../../contract/mcp/server-entry.js'
import { RULE_SOURCES, type RuleSource } from '../../contract/permission/context.js'
import { type GatherOptions, gatherServers } from './gather-servers.js'

const createLayer = (source: RuleSource, servers: Record<string, unknown>, file?: string): McpServerLayer => ({
  source,
  base: '/project',
  servers,
  ...(file !== undefined && { file }),
})

const gather = (layers: readonly McpServerLayer[], options: Partial<GatherOptions> = {}) =>
  gatherServers({ layers, variables: {}, projectRoot: '/project', isApproved: () => false, ...options })

const listReasons = (layers: readonly McpServerLayer[], options?: Partial<GatherOptions>) =>
  Object.fromEntries(gather(layers, options).refused.map(({ name, reason }) => [name, reason]))

test('variables in the entry of a server are expanded', () => {
  const entry = {
    command: `\${TOOLS:-/opt}/server`,
    args: ['--key', `\${KEY}`],
    env: { PORT: 80, DEBUG: true, KEY: `\${KEY}` },
    cwd: 'packages/one',
    timeoutMs: 1000,
    prefix: false,
    theirs: 'kept by another agent',
  }

  const { servers, refused } = gather([createLayer('userSettings', { files: entry }, '/home/me/.haft/settings.json')], {
    variables: { KEY: 'k' },
  })

  expect(refused).toEqual([])
  expect(servers).toEqual([
    {
      name: 'files',
      source: 'user',
      file: '/home/me/.haft/settings.json',
      approved: true,
      entry,
      config: {
        type: 'stdio',
        command: '/opt/server',
        args: ['--key', 'k'],
        env: { PORT: '80', DEBUG: 'true', KEY: 'k' },
        cwd: '/project/packages/one',
        timeoutMs: 1000,
        prefix: false,
      },
    },
  ])
})

test('a server entry with a url uses streamable HTTP unless its type is sse', () => {
  const url = `https://\${HOST}/mcp`
  const servers = {
    plain: { url, headers: { Authorization: `Bearer \${KEY}` }, headersHelper: `print \${KEY}` },
    sse: { type: 'sse', url },
    streamable: { type: 'streamable-http', url, oauth: { clientId: `\${ID}`, callbackPort: 8080 } },
  }

  const { servers: foundServers } = gather([createLayer('cliArg', servers)], {
    variables: { HOST: 'h', KEY: 'k', ID: 'i' },
  })

  expect(foundServers.map(({ config }) => config)).toEqual([
    {
      type: 'http',
      url: 'https://h/mcp',
      headers: { Authorization: 'Bearer k' },
      headersHelper: `print \${KEY}`,
    },
    { type: 'sse', url: 'https://h/mcp', headers: {} },
    { type: 'http', url: 'https://h/mcp', headers: {}, oauth: { clientId: 'i', callbackPort: 8080 } },
  ])
})

describe('with several sources', () => {
  const allLayers = RULE_SOURCES.map((source) => createLayer(source, { one: { command: source } }))
  const listWinners = (layers: readonly McpServerLayer[], options?: Partial<GatherOptions>) =>
    gather(layers, options).servers.map(({ source, config }) => [source, 'command' in config ? config.command : ''])

  test('a server is configured by the highest source that defines it', () => {
    const library = { one: { command: 'library' } }

    expect(listWinners(allLayers, { library })).toEqual([['managed', 'policy']])
    expect(listWinners(allLayers.slice(1), { library })).toEqual([['command line', 'session']])
    expect(listWinners(allLayers.slice(5), { library })).toEqual([['library', 'library']])
    expect(listWinners(allLayers.slice(5))).toEqual([['local', 'localSettings']])
    expect(listWinners(allLayers.slice(6))).toEqual([['project', 'projectSettings']])
    expect(listWinners(allLayers.slice(7))).toEqual([['user', 'userSettings']])
  })

  test('only managed servers are used if the policy requires it', () => {
    const library = { mine: { command: 'library' } }

    expect(listWinners(allLayers, { library, isManagedOnly: true })).toEqual([['managed', 'policy']])
    expect(listWinners(allLayers.slice(1), { library, isManagedOnly: true })).toEqual([])
  })

  test('an invalid entry of a higher source is not replaced by a lower one', () => {
    const layers = [
      createLayer('policy', { one: { command: 1 } }),
      createLayer('userSettings', { one: { command: 'x' } }),
    ]

    expect(gather(layers).servers).toEqual([])
    expect(listReasons(layers)).toEqual({ one: 'command: Invalid input: expected string, received number' })
  })
})

describe('an invalid server entry', () => {
  test('is refused with a reason and does not affect other entries', () => {
    const servers = {
      good: { command: 'x' },
      wrong: { args: [] },
      variable: { command: 'x', env: { A: `\${NOT_SET}` } },
      empty: { command: `\${EMPTY}` },
      ftp: { url: 'ftp://example.com' },
      secret: { url: `https://u:\${PASSWORD}@example.com` },
      split: { url: 'https://example.com', headers: { 'X-Key': `\${LINES}` } },
      '': { command: 'x' },
      'a\nb': { command: 'x' },
      list: [],
    }
    const options = { variables: { EMPTY: '', PASSWORD: 'hunter2', LINES: 'hunter2\r\nX-Evil: 1' } }

    const { servers: foundServers } = gather([createLayer('userSettings', servers)], options)
    const refusalReasons = listReasons([createLayer('userSettings', servers)], options)

    expect(foundServers.map(({ name }) => name)).toEqual(['good'])
    expect(refusalReasons).toMatchObject({
      wrong: 'a server needs a command or a url',
      variable: `the variable NOT_SET is not set; set it, or write \${NOT_SET:-default}`,
      empty: `the command "\${EMPTY}" is empty after its variables are expanded`,
      ftp: 'the url "ftp://example.com" is not an http or https URL',
      secret: 'the url contains a user name or password; put them into headers',
      split: 'the header X-Key contains characters that are not allowed in headers',
      list: 'Invalid input: expected object, received array',
    })
    expect(Object.keys(refusalReasons)).toHaveLength(9)
    expect(JSON.stringify(refusalReasons)).not.toContain('hunter2')
  })
})

test('a server may be named like an inherited object member', () => {
  const servers = JSON.parse('{ "__proto__": { "command": "x" }, "constructor": { "command": "y" } }')

  expect(gather([createLayer('userSettings', servers)]).servers.map(({ name }) => name)).toEqual([
    '__proto__',
    'constructor',
  ])
})

test('only servers from project and local settings need approval', () => {
  const layers = RULE_SOURCES.map((source) => createLayer(source, { [source]: { command: 'x' } }))

  const { servers } = gather(layers, { library: { library: { command: 'x' } } })

  const unapprovedServers = servers.filter(({ approved }) => !approved)
  expect(unapprovedServers.map(({ name, project }) => [name, project])).toEqual([
    ['localSettings', '/project'],
    ['projectSettings', '/project'],
  ])
  expect(servers.filter(({ approved }) => approved).every(({ project }) => project === undefined)).toBe(true)
})
