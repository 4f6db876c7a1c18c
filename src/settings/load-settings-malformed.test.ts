import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LoadSettingsOptions, loadSettings } from './load-settings.js'

let top: string
let home: string
let project: string
let policyPath: string

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-settings-')))
  home = join(top, 'home')
  project = join(top, 'work', 'project')
  policyPath = join(top, 'etc', 'managed-settings.json')
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(home)
})
afterEach(() => rm(top, { recursive: true }))

async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
}

function load(options: Partial<LoadSettingsOptions> = {}) {
  return loadSettings({ cwd: project, home, policyPath, isTrusted: () => true, ...options })
}

describe('a malformed file', () => {
  test('is reported in one line with its position, keeps its deny rules, and does not affect other files', async () => {
    const file = join(home, '.haft/settings.json')
    await write(file, '{\n  "permissions": { "allow": ["Edit"], "deny": ["Bash(rm:*)"] }\n  "model": "x"\n}')
    await write(join(project, '.haft/settings.json'), { permissions: { allow: ['Read'] } })

    const { permissionContext, problems, isComplete } = await load()

    expect(problems).toEqual([
      {
        severity: 'error',
        source: 'userSettings',
        file,
        line: 3,
        column: 3,
        message: `${file}:3:3: expected ',' or '}'. Until it is fixed, only its readable deny and ask rules apply.`,
      },
    ])
    expect(permissionContext).toMatchObject({
      alwaysAllowRules: { projectSettings: ['Read'] },
      alwaysDenyRules: { userSettings: ['Bash(rm:*)'] },
    })
    expect(isComplete).toBe(false)
  })

  test.each(['acceptEdits', 'auto', 'bypassPermissions'] as const)('prevents mode %s', async (mode) => {
    await write(join(home, '.haft/settings.json'), '{ "permissions": ')

    const { permissionContext, problems } = await load({ cliArg: { permissions: { defaultMode: mode } } })

    expect(permissionContext.mode).toBe('default')
    expect(problems.at(-1)?.message).toContain(`mode ${mode} cannot be used until every settings file is readable`)
  })

  test.each(['plan', 'dontAsk'] as const)('does not prevent the strict mode %s', async (mode) => {
    await write(join(home, '.haft/settings.json'), '{ "permissions": ')

    expect((await load({ cliArg: { permissions: { defaultMode: mode } } })).permissionContext.mode).toBe(mode)
  })
})
