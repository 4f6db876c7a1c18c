import { execFile } from 'node:child_process'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { createPermissionContext, PERMISSION_MODES } from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { formatIdentity, getOwnIdentity } from '../../system/processes/process-identity.js'

import { createPropertyOptions } from '../../testing/property-runs.js'
import { loadSettings } from '../load-settings.js'
import { readSettingsText } from '../read/read-settings.js'
import { applyPermissionUpdate } from './apply-permission-update.js'
import { SettingsSaveError } from './change-settings-file.js'
import { editSettingsText, savePermissionUpdates } from './save-permission-updates.js'

let top: string
let home: string
let projectRoot: string

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-save-')))
  home = join(top, 'home')
  projectRoot = join(top, 'project')
  await mkdir(home)
  await mkdir(projectRoot)
})
afterEach(() => rm(top, { recursive: true }))

const SETTINGS_FILES = {
  localSettings: () => join(projectRoot, '.haft/settings.local.json'),
  projectSettings: () => join(projectRoot, '.haft/settings.json'),
  userSettings: () => join(home, '.haft/settings.json'),
}
type Destination = keyof typeof SETTINGS_FILES

function allow(destination: Destination | 'session', ...rules: string[]): PermissionUpdate {
  return { type: 'addRules', destination, behavior: 'allow', rules }
}

const save = (...updates: PermissionUpdate[]) => savePermissionUpdates(updates, { projectRoot, home })

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

describe('an update', () => {
  test.each(Object.keys(SETTINGS_FILES) as Destination[])('for %s creates its file', async (destination) => {
    expect(await save(allow(destination, 'Bash(npm test)'))).toEqual({
      files: [SETTINGS_FILES[destination]()],
      remaining: [],
    })

    expect(await read(SETTINGS_FILES[destination]())).toEqual({ permissions: { allow: ['Bash(npm test)'] } })
  })

  test('for the session writes nothing', async () => {
    expect(await save(allow('session', 'Read'))).toEqual({ files: [], remaining: [] })

    expect((await readdir(top, { recursive: true })).toSorted()).toEqual(['home', 'project'])
  })

  test('leaves no other file behind', async () => {
    await save(allow('userSettings', 'Read'))

    expect(await readdir(join(home, '.haft'))).toEqual(['settings.json'])
  })
})

describe('an updated settings file keeps', () => {
  const text = '// mine\n{\n\t"future": [1], // yes\n\t"permissions": {\n\t\t"allow": ["Read"],\n\t\t"odd": 1\n\t}\n}\n'

  test('comments, unknown keys and layout', async () => {
    await put(SETTINGS_FILES.userSettings(), text)

    await save(allow('userSettings', 'Read', 'Edit'), { type: 'setMode', destination: 'userSettings', mode: 'plan' })

    expect(await readFile(SETTINGS_FILES.userSettings(), 'utf8')).toBe(
      text.replace('["Read"]', '["Read", "Edit"]').replace('"odd": 1', '"odd": 1,\n\t\t"defaultMode": "plan"'),
    )
  })

  test('its file mode', async () => {
    await put(SETTINGS_FILES.userSettings(), '{}')
    await chmod(SETTINGS_FILES.userSettings(), 0o640)

    await save(allow('userSettings', 'Read'))

    expect((await stat(SETTINGS_FILES.userSettings())).mode & 0o777).toBe(0o640)
  })

  test('everything if there is nothing to change', async () => {
    await put(SETTINGS_FILES.userSettings(), text)
    const statsBefore = await stat(SETTINGS_FILES.userSettings())

    expect(await save(allow('userSettings', ' Read '))).toEqual({ files: [], remaining: [] })

    const statsAfter = await stat(SETTINGS_FILES.userSettings())
    expect([statsAfter.ino, statsAfter.mtimeMs]).toEqual([statsBefore.ino, statsBefore.mtimeMs])
  })

  test.each([
    '{ "permissions": { "allow": ["Read"] ',
    '{ "permissions": { "allow": "Read" } }',
    '{ "permissions": [] }',
    '[]',
  ])('everything if it is malformed: %s', async (brokenContent) => {
    await put(SETTINGS_FILES.userSettings(), brokenContent)

    await expect(save(allow('userSettings', 'Edit'))).rejects.toThrow(SettingsSaveError)
    expect(await readFile(SETTINGS_FILES.userSettings(), 'utf8')).toBe(brokenContent)
    expect(await readdir(join(home, '.haft'))).toEqual(['settings.json'])
  })
})

test('a directory is recognised whether its path in the file is absolute, relative or starts with ~', async () => {
  await put(SETTINGS_FILES.userSettings(), '{ "permissions": { "additionalDirectories": ["~/a", "b", "/c"] } }')
  const directories = { destination: 'userSettings', directories: [join(home, 'a'), join(home, 'b')] } as const

  expect((await save({ type: 'addDirectories', ...directories })).files).toEqual([])
  await save({ type: 'removeDirectories', ...directories })

  expect(await read(SETTINGS_FILES.userSettings())).toEqual({ permissions: { additionalDirectories: ['/c'] } })
})

describe('links', () => {
  test('of the user are followed', async () => {
    await put(join(top, 'dotfiles/haft.json'), '{}')
    await mkdir(join(home, '.haft'))
    await symlink(join(top, 'dotfiles/haft.json'), SETTINGS_FILES.userSettings())

    await save(allow('userSettings', 'Read'))

    expect(await read(join(top, 'dotfiles/haft.json'))).toEqual({ permissions: { allow: ['Read'] } })
  })

  test.each(['file', 'folder'])('from a %s of a cloned project to files of the user are not followed', async (kind) => {
    await put(SETTINGS_FILES.userSettings(), '{}')
    if (kind === 'folder') await symlink(join(home, '.haft'), join(projectRoot, '.haft'))
    else {
      await mkdir(join(projectRoot, '.haft'))
      await symlink(SETTINGS_FILES.userSettings(), SETTINGS_FILES.projectSettings())
    }

    await expect(save(allow('projectSettings', 'Bash'))).rejects.toThrow(/is a link to .*outside the project/)
    expect(await readFile(SETTINGS_FILES.userSettings(), 'utf8')).toBe('{}')
  })
})

test('an update that the policy refuses is not saved', async () => {
  const restrictions = { managedRulesOnly: true, forbiddenModes: [] }

  await expect(
    savePermissionUpdates([allow('userSettings', 'Read')], { projectRoot, home, restrictions }),
  ).rejects.toThrow('The managed policy permits only its own allow rules. Nothing was saved.')
})

test("a removed rule that another agent's file still contains is reported", async () => {
  const claudeFile = join(home, '.claude/settings.json')
  await put(claudeFile, '{ "permissions": { "allow": ["Read", "Edit"] } }')
  await put(SETTINGS_FILES.userSettings(), '{ "permissions": { "allow": ["Read"] } }')
  const rules = { destination: 'userSettings', behavior: 'allow', rules: ['Read'] } as const

  expect(await save({ type: 'removeRules', ...rules })).toEqual({
    files: [SETTINGS_FILES.userSettings()],
    remaining: [{ rule: 'Read', file: claudeFile }],
  })
  expect((await save({ type: 'replaceRules', ...rules })).remaining).toEqual([{ rule: 'Edit', file: claudeFile }])
})

describe('concurrent writers', () => {
  test('in one process lose nothing', async () => {
    const rules = Array.from({ length: 20 }, (_, i) => `Bash(echo ${i})`)

    await Promise.all(rules.map((rule) => save(allow('userSettings', rule))))

    expect((await read(SETTINGS_FILES.userSettings())).permissions.allow.toSorted()).toEqual(rules.toSorted())
  })

  test('in several processes lose nothing', async () => {
    const outfile = join(top, 'save.mjs')
    const entryPoints = [new URL('./save-permission-updates.ts', import.meta.url).pathname]
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
    const script = `
      import { savePermissionUpdates } from ${JSON.stringify(outfile)}
      const [writer, projectRoot, home] = process.argv.slice(2)
      for (let i = 0; i < 10; i++) {
        const update = { type: 'addRules', destination: 'userSettings', behavior: 'deny', rules: ['Bash(' + writer + ' ' + i + ')'] }
        await savePermissionUpdates([update], { projectRoot, home })
      }`
    await writeFile(join(top, 'run.mjs'), script)
    const writers = ['a', 'b', 'c', 'd']

    await Promise.all(
      writers.map((writer) => promisify(execFile)(process.execPath, [join(top, 'run.mjs'), writer, projectRoot, home])),
    )

    const expectedRules = writers.flatMap((writer) => Array.from({ length: 10 }, (_, i) => `Bash(${writer} ${i})`))
    expect((await read(SETTINGS_FILES.userSettings())).permissions.deny.toSorted()).toEqual(expectedRules.toSorted())
    expect(await readdir(join(home, '.haft'))).toEqual(['settings.json'])
  })

  test.each(['of a dead process', 'that is an old file', 'that is an empty folder'])(
    'are not blocked by a lock %s',
    async (kind) => {
      const lock = `${SETTINGS_FILES.userSettings()}.lock`
      const { pid } = await createFinishedProcess()
      await mkdir(dirname(lock), { recursive: true })
      if (kind === 'that is an old file') {
        await writeFile(lock, '1 elsewhere x')
        await utimes(lock, new Date(0), new Date(0))
      } else await mkdir(lock)
      if (kind === 'of a dead process') {
        await writeFile(join(lock, `${formatIdentity({ ...getOwnIdentity(), pid: pid ?? 0 })}-0123456789ab`), '')
      }

      await save(allow('userSettings', 'Read'))

      expect(await readdir(join(home, '.haft'))).toEqual(['settings.json'])
    },
  )
})

async function createFinishedProcess(): Promise<{ pid: number | undefined }> {
  const processPromise = promisify(execFile)(process.execPath, ['-e', ''])
  await processPromise
  return { pid: processPromise.child.pid }
}

const rule = fc.constantFrom('Read', 'Edit', 'Bash(ls)', 'Bash(rm:*)', 'mcp__x')
const destination = fc.constant('userSettings' as const)
const behavior = fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const)
const update: fc.Arbitrary<PermissionUpdate> = fc.oneof(
  fc.record({
    type: fc.constantFrom('addRules' as const, 'replaceRules' as const, 'removeRules' as const),
    destination,
    behavior,
    rules: fc.array(rule),
  }),
  fc.record({ type: fc.constant('setMode' as const), destination, mode: fc.constantFrom(...PERMISSION_MODES) }),
  fc.record({
    type: fc.constantFrom('addDirectories' as const, 'removeDirectories' as const),
    destination,
    directories: fc.array(fc.constantFrom('/a', '/b', '/c')),
  }),
)
const folders = { base: '/home', home: '/home' }
const unknownSettings = fc.dictionary(
  fc.string().filter((key) => key !== 'permissions' && key !== '__proto__'),
  fc.jsonValue(),
)

test('no update loses an unrelated key', () => {
  fc.assert(
    fc.property(
      unknownSettings,
      unknownSettings,
      fc.array(update),
      fc.constantFrom(0, 2, '\t'),
      (topValue, innerValue, updates, indent) => {
        const permissions = { ...innerValue, allow: ['Read'], deny: ['Bash(ls)'] }
        const text = JSON.stringify({ ...topValue, permissions }, null, indent)

        const editedSettings = JSON.parse(
          updates.reduce((now, nextUpdate) => editSettingsText(now, nextUpdate, folders), text),
        )

        const changedKeys = new Set(['allow', 'deny', 'ask', 'defaultMode', 'additionalDirectories'])
        const unchangedEntries = Object.entries(innerValue).filter(([key]) => !changedKeys.has(key))
        expect(editedSettings).toMatchObject(JSON.parse(JSON.stringify(topValue)))
        expect(Object.keys(editedSettings).toSorted()).toEqual(
          [...new Set([...Object.keys(topValue), 'permissions'])].toSorted(),
        )
        for (const [key, value] of unchangedEntries)
          expect(editedSettings.permissions[key]).toEqual(JSON.parse(JSON.stringify(value)))
      },
    ),
    createPropertyOptions(),
  )
})

test('reading saved updates again produces the same context as applying them', () => {
  fc.assert(
    fc.property(fc.array(update), (updates) => {
      const text = updates.reduce((now, nextUpdate) => editSettingsText(now, nextUpdate, folders), '')
      const appliedContext = updates.reduce(
        (now, nextUpdate) => applyPermissionUpdate(now, nextUpdate),
        createPermissionContext(),
      )

      const origin = { source: 'userSettings', name: 'x' } as const
      const { permissions = {} } = readSettingsText(text || '{}', origin).settings
      expect({
        allow: permissions.allow ?? [],
        deny: permissions.deny ?? [],
        ask: permissions.ask ?? [],
        mode: permissions.defaultMode ?? 'default',
        directories: permissions.additionalDirectories ?? [],
      }).toEqual({
        allow: appliedContext.alwaysAllowRules.userSettings ?? [],
        deny: appliedContext.alwaysDenyRules.userSettings ?? [],
        ask: appliedContext.alwaysAskRules.userSettings ?? [],
        mode: appliedContext.mode,
        directories: appliedContext.additionalWorkingDirectories.map(({ path }) => path),
      })
    }),
    createPropertyOptions(),
  )
})

test('adding rules and then removing them restores the file', async () => {
  await put(
    SETTINGS_FILES.projectSettings(),
    '{\n  "permissions": {\n    "deny": [\n      "Read" // why\n    ]\n  }\n}\n',
  )
  const textBefore = await readFile(SETTINGS_FILES.projectSettings(), 'utf8')
  const rules = { destination: 'projectSettings', behavior: 'deny', rules: ['Edit', 'Bash'] } as const

  await save({ type: 'addRules', ...rules })
  const { permissionContext } = await loadSettings({ cwd: projectRoot, home, isTrusted: () => true })
  expect(permissionContext.alwaysDenyRules.projectSettings).toEqual(['Read', 'Edit', 'Bash'])
  await save({ type: 'removeRules', ...rules })

  expect(await readFile(SETTINGS_FILES.projectSettings(), 'utf8')).toBe(textBefore)
})
