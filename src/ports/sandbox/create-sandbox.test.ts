import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { bubblewrapPrefix } from './bubblewrap/bubblewrap-arguments.js'
import { SandboxFixture } from './fixture-sandbox.js'
import type { Mount } from './mounts.js'
import { BUBBLEWRAP_TRIAL, probeBackend, probeFailure } from './probe-backend.js'
import { makePrivateFolder } from './protect/private-folder.js'

const testWithBubblewrap = testWithProgram('bwrap', 'bubblewrap')
let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

const request = () => ({ id: 'x', cwd: fixture.project, environment: {} })
const elsewhere = { platform: 'win32' }

test('a machine without a sandbox says so, and runs commands unheld where the settings do not forbid it', async () => {
  const sandbox = fixture.sandbox({ enabled: true }, elsewhere)

  expect(await sandbox.status()).toEqual({
    isAvailable: false,
    reason: 'there is no sandbox for win32',
    byDefault: 'workspace',
  })
  const reading = await sandbox.confine({ ...request(), confinement: 'read-only' })
  const [first, second] = [await sandbox.confine(request()), await sandbox.confine(request())]
  expect(first).toMatchObject({ argvPrefix: [], confinement: 'none' })
  const end = { output: '', exitCode: 0 }
  expect([reading, first, second].map((confined) => confined.explain(end))).toEqual([
    [],
    [
      'No sandbox held this command, although the settings switch one on: there is no sandbox for win32. Tell the user.',
    ],
    [],
  ])
})

test('a required sandbox that is missing stops the command', async () => {
  const sandbox = fixture.sandbox({ isRequired: true, enabled: false }, elsewhere)

  await expect(sandbox.confine(request())).rejects.toThrow(
    'sandbox.required), and there is none: there is no sandbox for win32',
  )
})

test('settings switch it off, and keep commands from leaving', async () => {
  const off = fixture.sandbox({ enabled: false })
  expect(await off.confine({ ...request(), confinement: 'read-only' })).toMatchObject({ confinement: 'none' })
  expect(await off.status()).toMatchObject({ isAvailable: false, reason: expect.stringContaining('sandbox.enabled') })

  const closed = fixture.sandbox({ enabled: true, allowsUnsandboxed: false })
  await expect(closed.confine({ ...request(), confinement: 'none' })).rejects.toThrow(
    'let no command leave the sandbox',
  )
})

describe('a command that a rule names', () => {
  const ruled = { confinement: 'read-only', isAllowedByRule: true } as const
  const heldBy = async (settings: Partial<SandboxSettings>) =>
    (await fixture.sandbox(settings).confine({ ...request(), ...ruled })).confinement

  testWithBubblewrap('is held as the settings want every command', async () => {
    expect(await heldBy({})).toBe('none')
    expect(await heldBy({ enabled: true })).toBe('workspace')
    expect(await heldBy({ isRequired: true })).toBe('workspace')
  })

  testWithBubblewrap('does not see what they hide', async () => {
    expect(await heldBy({ denyRead: [fixture.folder('secrets')] })).toBe('read-only')
    expect(await heldBy({ enabled: true, denyRead: [fixture.folder('secrets')] })).toBe('workspace')
  })
})

test('nothing is held that nobody asked to hold', async () => {
  const sandbox = fixture.sandbox()

  expect(await sandbox.confine(request())).toMatchObject({ argvPrefix: [], confinement: 'none' })
})

test('where nothing is installed, the status says what to install', async () => {
  const sandbox = fixture.sandbox({}, { temporaryFolder: join(fixture.root, 'missing') })

  expect((await sandbox.status()).isAvailable).toBe(false)
})

test('a sandbox that holds nothing is found out', async () => {
  const trial = (script: string) =>
    probeBackend({ folder: fixture.root, trial: script, hold: () => ({ argvPrefix: [] }) })

  expect(await trial('echo x > "$1/in/file"; exit 0')).toBeUndefined()
  expect(await trial('echo x > "$1/in/file"; echo x > "$1/file"; exit 0')).toContain('was not refused')
  expect(await trial('exit 0')).toContain('should be writable is not')
  expect(await trial('exit 14')).toBe('the network is still there')
})

describe('the trial of bubblewrap finds out', () => {
  const trialWith = (choose: (mounts: readonly Mount[]) => readonly Mount[]) => {
    const files = makePrivateFolder(fixture.folder('files'), undefined)
    onTestFinished(() => files.remove())
    return probeBackend({
      folder: fixture.folder('trial'),
      trial: BUBBLEWRAP_TRIAL,
      hold: (mounts, cwd) => bubblewrapPrefix({ bubblewrap: '/usr/bin/bwrap', files }, { mounts: choose(mounts), cwd }),
    })
  }

  testWithBubblewrap('that all is well', async () => {
    expect(await trialWith((mounts) => mounts)).toBeUndefined()
  })

  testWithBubblewrap('that a folder cannot be written', async () => {
    expect(await trialWith((mounts) => mounts.filter(({ kind }) => kind !== 'writable'))).toContain('is not')
  })

  testWithBubblewrap('that a write outside is not refused', async () => {
    const all: Mount = { path: fixture.root, kind: 'writable' }
    expect(await trialWith((mounts) => [all, ...mounts])).toContain('a write outside of the working folders')
  })

  testWithBubblewrap('that a hidden file can be read', async () => {
    expect(await trialWith((mounts) => mounts.filter(({ kind }) => kind !== 'hidden-file'))).toContain('hidden file')
  })
})

test.each([
  [
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow',
    'user namespaces are switched off',
  ],
  ['bwrap: Creating new namespace failed: Operation not permitted', 'user namespaces are switched off'],
  ['bwrap: setting up uid map: Permission denied', 'AppArmor'],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'container'],
  ['bwrap: Unknown option --perms', 'too old'],
  ['something else', 'bubblewrap does not start: something else'],
  ['', 'without a word'],
])('the complaint %j is put into words', (complaint, words) => {
  expect(probeFailure(complaint)).toContain(words)
})
