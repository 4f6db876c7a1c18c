import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FixtureMcpCommand } from '../fixture-mcp-command.js'
import { createZip } from './fixture-zip.js'

const MANIFEST = {
  manifest_version: '0.3',
  name: 'notes',
  version: '1.2.0',
  display_name: 'Notes',
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: {
      command: 'node',
      args: [`\${__dirname}/server/index.js`, `\${user_config.folders}`],
      env: { API_KEY: `\${user_config.key}`, MODE: `\${user_config.mode}` },
    },
  },
  user_config: {
    folders: { type: 'directory', required: true, multiple: true },
    key: { type: 'string', sensitive: true, required: true },
    mode: { type: 'string', default: 'fast' },
  },
}

interface FileInZip {
  readonly name: string
  readonly text: string
  readonly mode?: number
}

function writeBundle(fixture: FixtureMcpCommand, manifest: object | string, ...files: readonly FileInZip[]): string {
  const path = join(fixture.root, 'notes.mcpb')
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest)
  writeFileSync(path, createZip([{ name: 'manifest.json', text }, ...files]))
  return path
}

const SERVER_FILE = { name: 'server/index.js', text: 'console.log(1)', mode: 0o100755 }
const getBundles = ({ home }: FixtureMcpCommand) => join(home, '.haft', 'mcp', 'bundles')

test('a bundle is extracted, and its server is added with secrets as references', async () => {
  const fixture = new FixtureMcpCommand()
  const path = writeBundle(fixture, MANIFEST, SERVER_FILE)

  const { code, out } = await fixture.run('install', path, '--yes', '--set', 'folders=/a', '--set', 'folders=/b')

  const folder = join(getBundles(fixture), 'notes-1.2.0')
  expect(code).toBe(0)
  expect(statSync(join(folder, 'server/index.js')).mode & 0o777).toBe(0o700)
  expect(JSON.parse(fixture.read('home/.haft/settings.json')).mcpServers.notes).toEqual({
    command: 'node',
    args: [join(folder, 'server/index.js'), '/a', '/b'],
    env: { API_KEY: `\${NOTES_KEY}`, MODE: 'fast' },
  })
  expect(out).toContain('Set the variable NOTES_KEY before you use it.')
  expect(await fixture.run('install', path, '--yes', '--set', 'folders=/a')).toMatchObject({
    code: 1,
    err: expect.stringContaining('a server notes exists already'),
  })
})

test('nothing is extracted without consent', async () => {
  const fixture = new FixtureMcpCommand()

  const { code } = await fixture.run('install', writeBundle(fixture, MANIFEST, SERVER_FILE), '--set', 'folders=/a')

  expect(code).toBe(3)
  expect(existsSync(getBundles(fixture))).toBe(false)
})

test.each([
  ['a name outside the folder', { name: '../evil.js', text: 'x' }, 'invalid relative path'],
  ['an absolute name', { name: '/tmp/evil.js', text: 'x' }, 'absolute path'],
  ['a backslash in a name', { name: '..\\evil.js', text: 'x' }, 'invalid characters in fileName'],
  ['a symbolic link', { name: 'link', text: '/etc/passwd', mode: 0o120777 }, 'it contains a symbolic link, "link"'],
  ['the same name twice', SERVER_FILE, 'it contains "server/index.js" twice'],
])('a bundle with %s is refused and leaves nothing behind', async (_, file, reason) => {
  const fixture = new FixtureMcpCommand()
  const path = writeBundle(fixture, MANIFEST, SERVER_FILE, file)

  const { code, err } = await fixture.run('install', path, '--yes', '--set', 'folders=/a')

  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(reason) })
  expect(existsSync(getBundles(fixture)) ? readdirSync(getBundles(fixture)) : []).toEqual([])
  expect(existsSync(join(fixture.home, '.haft/settings.json'))).toBe(false)
})

test.each([
  ['{', 'its manifest.json is not JSON'],
  [{ ...MANIFEST, name: '../x' }, 'its manifest.json is invalid: name'],
  [{ ...MANIFEST, server: { type: 'node' }, user_config: {} }, 'its manifest.json names no command'],
  [{ ...MANIFEST, compatibility: { platforms: ['win32'] } }, 'it is for win32 only'],
  [MANIFEST, 'it needs values: --set folders=VALUE'],
])('a bundle with the manifest %j is refused', async (manifest, reason) => {
  const fixture = new FixtureMcpCommand()

  expect(await fixture.run('install', writeBundle(fixture, manifest), '--yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining(reason),
  })
})

test('a file that is not a bundle is refused', async () => {
  const fixture = new FixtureMcpCommand()

  expect(await fixture.run('install', fixture.write('x.dxt', 'not a zip'), '--yes')).toMatchObject({ code: 1 })
})
