import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHANGEABLE_SETTINGS, SettingError } from '../contract/ports/settings.js'
import { loadSettings } from './load-settings.js'
import { SETTINGS_KEYS, type Settings } from './read/settings-schema.js'
import { SettingStore } from './setting-store.js'

let top: string
let home: string
let project: string
let store: SettingStore

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-setting-store-')))
  home = join(top, 'home')
  project = join(top, 'project')
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(home)
  const policyPath = join(top, 'policy.json')
  const load = () => loadSettings({ cwd: project, home, policyPath, isTrusted: () => true })
  store = new SettingStore({ load, home })
})
afterEach(() => rm(top, { recursive: true }))

const userFile = () => join(home, '.haft/settings.json')
const projectFile = () => join(project, '.haft/settings.json')

async function write(path: string, content: Settings | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
}

describe('reading', () => {
  test('returns the value that applies and the file that it comes from', async () => {
    await write(userFile(), { theme: 'light', model: 'claude-x' })
    await write(projectFile(), { model: 'gpt-y' })

    expect(await store.read('theme')).toMatchObject({ value: 'light', sources: [userFile()], isChangeable: true })
    expect(await store.read('model')).toMatchObject({ value: 'gpt-y', sources: [projectFile()] })
    expect(await store.read('editorMode')).toMatchObject({ value: undefined, sources: [] })
  })

  test('returns rules with all their sources', async () => {
    await write(userFile(), { permissions: { deny: ['WebFetch'] } })
    await write(projectFile(), { permissions: { allow: ['Bash(npm test)'] } })

    expect(await store.read('permissions')).toMatchObject({
      value: { deny: { userSettings: ['WebFetch'] }, allow: { projectSettings: ['Bash(npm test)'] } },
      sources: [projectFile(), userFile()],
      isChangeable: false,
    })
  })

  test('returns no secret of any setting', async () => {
    const secret = 'sk-live-1234567890'
    const server = { command: 'x', env: { TOKEN: secret }, args: [secret], headers: { authorization: secret } }
    await write(userFile(), {
      providers: { mine: { type: 'openai', apiKey: secret, headers: { 'x-key': secret } } },
      env: { TOKEN: secret },
      mcpServers: { github: server },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: `curl -H ${secret} x.test` }] }] },
      formatters: { prettier: { command: 'prettier', args: [secret], extensions: ['.ts'] } },
      languageServers: { ts: { command: 'tsc', args: [secret], extensions: { '.ts': 'typescript' } } },
      push: { webhook: { url: `https://hooks.test/${secret}` } },
      web: { search: { provider: 'searxng', url: `https://user:${secret}@x.test` } },
    })
    const readable = SETTINGS_KEYS.filter((key) => key !== '$schema' && !/^allowManaged|^disabledSources/.test(key))

    const values = await Promise.all(readable.map((name) => store.read(name)))

    expect(JSON.stringify(values)).not.toContain(secret)
    expect(values.filter(({ name }) => ['providers', 'mcpServers', 'env', 'hooks'].includes(name))).toMatchObject([
      { value: ['Stop'] },
      { value: ['TOKEN'] },
      { value: ['github'] },
      { value: ['mine'] },
    ])
  })

  test('suggests names for an unknown setting', async () => {
    await expect(store.read('tehme')).rejects.toThrow('Unknown setting "tehme". Did you mean theme?')
  })
})

describe('changing', () => {
  test('saves the value in the file of the user, keeps its comments, and tells listeners', async () => {
    await write(userFile(), '{\n  // mine\n  "theme": "dark"\n}\n')
    const changes: unknown[] = []
    store.onChange((name, value) => changes.push([name, value]))

    expect(await store.change('theme', 'light')).toEqual({
      ...{ name: 'theme', before: 'dark', newValue: 'light', file: userFile(), appliesAtOnce: true },
    })
    expect(await readFile(userFile(), 'utf8')).toBe('{\n  // mine\n  "theme": "light"\n}\n')
    expect(changes).toEqual([['theme', 'light']])
  })

  test('with null removes the value', async () => {
    await write(userFile(), { theme: 'dark', editorMode: 'vim' })

    await store.change('theme', null)

    expect(JSON.parse(await readFile(userFile(), 'utf8'))).toEqual({ editorMode: 'vim' })
  })

  test('a preview changes nothing', async () => {
    expect(await store.preview('theme', 'light')).toMatchObject({ before: undefined, newValue: 'light' })
    await expect(readFile(userFile())).rejects.toThrow('ENOENT')
  })

  test('names the source that takes precedence, and tells no listener', async () => {
    await write(projectFile(), { theme: 'none' })
    const changes: unknown[] = []
    store.onChange((name) => changes.push(name))

    expect(await store.change('theme', 'light')).toMatchObject({ before: 'none', overriddenBy: projectFile() })
    expect(changes).toEqual([])
  })

  test.each([
    ['notifications', 'false', false],
    ['idleNotificationMs', '5000', 5000],
    ['thinking', '2048', 2048],
    ['thinking', 'adaptive', 'adaptive'],
    ['model', 'local/qwen3', 'local/qwen3'],
  ])('reads the value of %s from the text %j', async (name, value, expected) => {
    expect((await store.preview(name, value)).newValue).toEqual(expected)
  })

  test.each([
    ['theme', 'pink', 'Use dark, light, colour-blind, high-contrast, 16-colours, none.'],
    ['notifications', 'maybe', 'Use true, false.'],
    ['idleNotificationMs', -1, '"-1" is not a value of idleNotificationMs'],
    ['model', '', 'is not a value of model'],
    ['model', 'scripted:/tmp/x.mjs', 'loads a file'],
    ['fallbackModel', ' replay:x', 'loads a file'],
  ])('refuses %s = %j', async (name, value, message) => {
    await expect(store.change(name, value)).rejects.toThrow(SettingError)
    await expect(store.change(name, value)).rejects.toThrow(message)
    await expect(readFile(userFile())).rejects.toThrow('ENOENT')
  })

  const changeableNames: readonly string[] = CHANGEABLE_SETTINGS.map(({ name }) => name)
  test.each(SETTINGS_KEYS.filter((key) => !changeableNames.includes(key)))(
    'refuses %s, whatever the value',
    async (key) => {
      for (const value of [null, true, 1, 'x']) await expect(store.change(key, value)).rejects.toThrow(SettingError)
      await expect(readFile(userFile())).rejects.toThrow('ENOENT')
    },
  )

  test('says how to repair a malformed file, and keeps it', async () => {
    await write(userFile(), '{ "theme": ')

    await expect(store.change('theme', 'light')).rejects.toThrow('Fix the file first; nothing was saved.')
    expect(await readFile(userFile(), 'utf8')).toBe('{ "theme": ')
  })

  test('refuses a model that cannot be used', async () => {
    const load = () => loadSettings({ cwd: project, home, isTrusted: () => true })
    const strictStore = new SettingStore({ load, home, findModelProblem: async (name) => `No key for ${name}.` })

    await expect(strictStore.change('model', 'gpt-x')).rejects.toThrow('No key for gpt-x.')
  })
})

test('nothing that loosens safety can be changed', () => {
  expect(CHANGEABLE_SETTINGS.map(({ name }) => name)).toEqual([
    ...['theme', 'editorMode', 'notifications', 'autoCompact', 'screenReader', 'idleNotificationMs'],
    ...['model', 'fallbackModel', 'thinking'],
  ])
})
