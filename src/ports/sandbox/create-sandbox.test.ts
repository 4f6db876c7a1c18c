import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { createBubblewrapPrefix } from './bubblewrap/bubblewrap-arguments.js'
import { SandboxFixture } from './fixture-sandbox.js'
import type { Mount } from './mounts.js'
import { BUBBLEWRAP_PROBE, explainProbeFailure, probeBackend } from './probe-backend.js'
import { makePrivateFolder } from './protect/private-folder.js'

const testWithBubblewrap = testWithProgram('bwrap', 'bubblewrap')
let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

const request = () => ({ id: 'x', cwd: fixture.project })
const unsupportedPlatform = { platform: 'win32' }

test('a machine without a sandbox reports the reason, and runs commands unconfined with a single warning', async () => {
  const sandbox = fixture.openSandbox({ enabled: true }, unsupportedPlatform)

  expect(await sandbox.status()).toEqual({
    isAvailable: false,
    reason: 'there is no sandbox for win32',
    byDefault: 'workspace',
  })
  const readCommand = await sandbox.confine({ ...request(), confinement: 'read-only' })
  const [first, second] = [await sandbox.confine(request()), await sandbox.confine(request())]
  expect(first).toMatchObject({ argvPrefix: [], confinement: 'none' })
  const end = { output: '', exitCode: 0 }
  expect([readCommand, first, second].map((confinedLaunch) => confinedLaunch.explain(end))).toEqual([
    [],
    [
      'This command ran without a sandbox, although the settings enable it: there is no sandbox for win32. Tell the user.',
    ],
    [],
  ])
})

test('a command is refused if the required sandbox is missing', async () => {
  const sandbox = fixture.openSandbox({ isRequired: true, enabled: false }, unsupportedPlatform)

  await expect(sandbox.confine(request())).rejects.toThrow(
    'sandbox.required), and none is available: there is no sandbox for win32',
  )
})

test('the settings can disable the sandbox, or forbid commands outside it', async () => {
  const disabledSandbox = fixture.openSandbox({ enabled: false })
  expect(await disabledSandbox.confine({ ...request(), confinement: 'read-only' })).toMatchObject({
    confinement: 'none',
  })
  expect(await disabledSandbox.status()).toMatchObject({
    isAvailable: false,
    reason: expect.stringContaining('sandbox.enabled'),
  })

  const strictSandbox = fixture.openSandbox({ enabled: true, allowsUnsandboxed: false })
  await expect(strictSandbox.confine({ ...request(), confinement: 'none' })).rejects.toThrow(
    'do not allow commands outside the sandbox',
  )
})

describe('a command that a rule allows', () => {
  const allowedByRule = { confinement: 'read-only', isAllowedByRule: true } as const
  const readConfinementWith = async (settings: Partial<SandboxSettings>) =>
    (await fixture.openSandbox(settings).confine({ ...request(), ...allowedByRule })).confinement

  testWithBubblewrap('is confined to the workspace only if the settings enable or require the sandbox', async () => {
    expect(await readConfinementWith({})).toBe('none')
    expect(await readConfinementWith({ enabled: true })).toBe('workspace')
    expect(await readConfinementWith({ isRequired: true })).toBe('workspace')
  })

  testWithBubblewrap('cannot read files that the settings hide', async () => {
    expect(await readConfinementWith({ denyRead: [fixture.makeFolder('secrets')] })).toBe('read-only')
    expect(await readConfinementWith({ enabled: true, denyRead: [fixture.makeFolder('secrets')] })).toBe('workspace')
  })
})

test('by default commands are not confined', async () => {
  const sandbox = fixture.openSandbox()

  expect(await sandbox.confine(request())).toMatchObject({ argvPrefix: [], confinement: 'none' })
})

test('the status reports a sandbox that cannot be set up', async () => {
  const sandbox = fixture.openSandbox({}, { temporaryFolder: join(fixture.root, 'missing') })

  expect((await sandbox.status()).isAvailable).toBe(false)
})

test('the probe detects a sandbox that does not confine commands as it should', async () => {
  const probe = (script: string) => probeBackend({ folder: fixture.root, script, confine: () => ({ argvPrefix: [] }) })

  expect(await probe('echo x > "$1/in/file"; exit 0')).toBeUndefined()
  expect(await probe('echo x > "$1/in/file"; echo x > "$1/file"; exit 0')).toContain('was not refused')
  expect(await probe('exit 0')).toContain('should be writable is not')
  expect(await probe('exit 14')).toBe('the network can be reached')
})

describe('the probe of bubblewrap reports', () => {
  const probeWithMounts = (choose: (mounts: readonly Mount[]) => readonly Mount[]) => {
    const files = makePrivateFolder(fixture.makeFolder('files'))
    onTestFinished(() => files.remove())
    return probeBackend({
      folder: fixture.makeFolder('trial'),
      script: BUBBLEWRAP_PROBE,
      confine: (mounts, cwd) =>
        createBubblewrapPrefix({ bubblewrap: '/usr/bin/bwrap', files }, { mounts: choose(mounts), cwd }),
    })
  }

  testWithBubblewrap('no problem if everything works', async () => {
    expect(await probeWithMounts((mounts) => mounts)).toBeUndefined()
  })

  testWithBubblewrap('that a folder cannot be written', async () => {
    expect(await probeWithMounts((mounts) => mounts.filter(({ kind }) => kind !== 'writable'))).toContain('is not')
  })

  testWithBubblewrap('that a write outside the working folders is not refused', async () => {
    const all: Mount = { path: fixture.root, kind: 'writable' }
    expect(await probeWithMounts((mounts) => [all, ...mounts])).toContain('a write outside the working folders')
  })

  testWithBubblewrap('that a hidden file can be read', async () => {
    expect(await probeWithMounts((mounts) => mounts.filter(({ kind }) => kind !== 'hidden-file'))).toContain(
      'hidden file',
    )
  })
})

test.each([
  [
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow',
    'user namespaces are disabled',
  ],
  ['bwrap: Creating new namespace failed: Operation not permitted', 'user namespaces are disabled'],
  ['bwrap: setting up uid map: Permission denied', 'AppArmor'],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'container'],
  ['bwrap: Unknown option --perms', 'too old'],
  ['something else', 'bubblewrap cannot be started: something else'],
  ['', 'without an error message'],
])('the error output %j is explained with its likely cause', (errorOutput, explanation) => {
  expect(explainProbeFailure(errorOutput)).toContain(explanation)
})
