import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test as vitestTest } from 'vitest'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { CommandPrefix } from '../shell/confinement.js'
import { type Stdio, withInheritedFiles } from '../shell/confinement.js'
import { SandboxFixture } from './fixture-sandbox.js'

const test = testWithProgram('bwrap', 'bubblewrap')
const testAsRoot = process.getuid?.() === 0 ? test : vitestTest.skip

let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

test('no process remains after the parent of a sandboxed command is killed', async () => {
  const confinedLaunch = await fixture.confine(fixture.openSandbox())
  const marker = `haft-held-${process.pid}-${Date.now()}`
  const script = `setsid bash -c 'trap "" TERM HUP; while :; do read -rt 1 <> <(:); done' ${marker} & echo up; wait`
  const words = [...confinedLaunch.argvPrefix, 'bash', '-c', script]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(' ')
  // This process acts as Haft: it waits for the command and is killed without a chance to clean up.
  const parent = withInheritedFiles(confinedLaunch, ['ignore', 'pipe', 'ignore'], (stdio) =>
    spawn('bash', ['-c', `${words}; true`], { stdio }),
  )
  await once(parent.stdio[1] as NodeJS.ReadableStream, 'data')
  await expect.poll(() => findRunningPids(marker)).not.toEqual([])

  parent.kill('SIGKILL')

  await expect.poll(() => findRunningPids(marker)).toEqual([])
  await confinedLaunch.release?.()
})

const testWithPython = testWithProgram('python3', 'python3', test)

testWithPython('a sandboxed command cannot use the kernel keyring of the user', async () => {
  const ADD_KEY = process.arch === 'x64' ? 248 : 217
  const script = `import ctypes; print(ctypes.CDLL(None).syscall(${ADD_KEY}, b'user', b'haft-test', b'x', 1, -3))`
  const run = await fixture.run(fixture.openSandbox(), `python3 -c "${script}"`, { confinement: 'read-only' })

  expect(run.output).toBe('-1\n')
})

test('a sandboxed command sees only its own processes', async () => {
  const run = await fixture.run(fixture.openSandbox(), 'ls /proc | grep -c "^[0-9]*$"; cat /proc/1/comm', {
    confinement: 'read-only',
  })

  expect(run.output).toMatch(/^[1-6]\nbwrap\n$/)
})

testWithProgram(
  'unshare',
  'util-linux',
  test,
)('a sandboxed command cannot create user namespaces', async () => {
  for (const confinement of ['workspace', 'read-only'] as const) {
    const run = await fixture.run(fixture.openSandbox(), 'unshare -U true || unshare -Ur true; (echo thread) | cat', {
      confinement,
    })

    expect(run.output).toMatch(/^unshare: .*not permitted\nunshare: .*not permitted\nthread\n$/)
  }
})

test('a sandboxed command cannot read the variables or the memory of other processes, in any mode', async () => {
  const parent = `/proc/${process.pid}`
  const command = `cat /proc/*/environ | tr '\\0' '\\n' | grep -c ^HAFT_OUTSIDE=; cat ${parent}/environ ${parent}/mem; echo end`
  const outsideProcess = spawn('sleep', ['1000'], { env: { ...process.env, HAFT_OUTSIDE: 'secret' } })
  try {
    for (const settings of [{}, { allowedDomains: ['example.com'] }]) {
      for (const options of [{}, { confinement: 'read-only' }, { confinement: 'read-only', reads: [] }] as const) {
        const { output } = await fixture.run(fixture.openSandbox(settings), command, options)

        expect(output).toContain('0\n')
        expect(output).toContain('end\n')
        expect(output.match(/No such file or directory/g)).toHaveLength(2)
      }
    }
  } finally {
    outsideProcess.kill()
  }
})

test('a sandboxed command inherits the descriptors of the shell, but not that of the system call filter', async () => {
  const confinedLaunch = await fixture.confine(fixture.openSandbox())
  const child = spawnIn(confinedLaunch, 'echo three >&3; echo four >&4; ls -l /proc/self/fd', ['pipe', 'pipe'])
  const [listing, descriptor3Output, descriptor4Output] = [1, 3, 4].map((index) =>
    collectText(child.stdio[index] as NodeJS.ReadableStream),
  )
  await once(child, 'close')
  await confinedLaunch.release?.()

  expect([await descriptor3Output, await descriptor4Output]).toEqual(['three\n', 'four\n'])
  expect(await listing).not.toContain('filter')
})

test('protected names stay blocked until the last of two concurrent commands has ended', async () => {
  const sandbox = fixture.openSandbox()
  const confine = () => fixture.confine(sandbox)
  const [first, second] = [await confine(), await confine()]

  await first.release?.()
  const attack = spawnIn(second, 'mkdir -p .haft && echo {} > .haft/settings.json')
  await once(attack, 'close')
  expect(attack.exitCode).not.toBe(0)
  expect(existsSync(join(fixture.project, '.haft/settings.json'))).toBe(false)

  await second.release?.()
  expect(readdirSync(fixture.project)).toEqual([])
})

test('files that a killed Haft process left behind are removed with the next command', async () => {
  const marksFolder = join(fixture.home, '.haft/sandbox')
  const sandbox = fixture.openSandbox()
  await fixture.confine(sandbox)
  expect(readdirSync(fixture.project).sort()).toEqual(['.claude', '.git', '.haft', '.mcp.json'])
  for (const folder of readdirSync(marksFolder)) assignToEndedProcess(join(marksFolder, folder))

  await fixture.run(sandbox, 'true')

  expect([readdirSync(fixture.project), readdirSync(marksFolder)]).toEqual([[], []])
})

testAsRoot('a sandboxed command of root has no capabilities, so that it can undo no mount', async () => {
  const run = await fixture.run(
    fixture.openSandbox(),
    `mount -o remount,bind,rw / ; echo x > ${fixture.root}/out; unshare -Urm sh -c 'mount -o remount,bind,rw /; umount -l /proc; echo x > ${fixture.root}/out'`,
  )

  expect(run.exitCode).not.toBe(0)
  expect(existsSync(join(fixture.root, 'out'))).toBe(false)
})

testAsRoot('a sandboxed command of root cannot write kernel settings', async () => {
  for (const file of [
    '/proc/sys/kernel/core_pattern',
    '/proc/sysrq-trigger',
    '/sys/kernel/profiling',
    '/sys/kernel/mm/ksm/run',
  ]) {
    if (!existsSync(file)) continue
    // The file is only opened, so that nothing changes if the sandbox does not refuse it.
    expect((await fixture.run(fixture.openSandbox(), `: >> ${file}`)).exitCode, file).toBe(1)
  }
})

testAsRoot('a sandboxed command of an ordinary user is confined as well', async () => {
  const secret = join(fixture.root, 'secret')
  writeFileSync(secret, 'TOP')
  mkdirSync(join(fixture.project, '.git'))
  for (const folder of [fixture.root, fixture.project, join(fixture.project, '.git'), fixture.home]) {
    chmodSync(folder, 0o755)
    chownSync(folder, NOBODY_UID, NOBODY_UID)
  }
  chownSync(secret, NOBODY_UID, NOBODY_UID)
  const confiningSandbox = fixture.openSandbox({ denyRead: [secret] })
  const { argvPrefix, inheritedFiles = [], release } = await fixture.confine(confiningSandbox)
  // The files of the sandbox must belong to the user who runs it.
  execFileSync('chown', ['-R', `${NOBODY_UID}:${NOBODY_UID}`, join(fixture.root, 'temporary'), fixture.project])

  const command = `id -u; echo x > inside; echo x > ${fixture.root}/outside; cat ${secret}; echo x > .git/config; cat inside`
  const nobodyArgv = ['setpriv', `--reuid=${NOBODY_UID}`, `--regid=${NOBODY_UID}`, '--clear-groups', ...argvPrefix]
  const child = spawnIn({ argvPrefix: nobodyArgv, inheritedFiles }, command)
  const output = collectText(child.stdio[1] as NodeJS.ReadableStream)
  await once(child, 'close')
  await release?.()

  expect(await output).toBe(`${NOBODY_UID}\nx\n`)
  expect(existsSync(join(fixture.root, 'outside'))).toBe(false)
})

const NOBODY_UID = 65534

/** Assigns marks to a process ID above the kernel's maximum, which no process can have. */
function assignToEndedProcess(folder: string): void {
  for (const mark of readdirSync(folder)) {
    const endedMark = mark.replace(/^([0-9a-f]{8})-\d+-/, '$1-2000000000-')
    renameSync(join(folder, mark), join(folder, endedMark))
  }
}

function spawnIn(prefix: CommandPrefix, command: string, extraStdio: readonly Stdio[] = []) {
  const [program = '', ...args] = [...prefix.argvPrefix, 'bash', '-c', command]
  return withInheritedFiles(prefix, ['ignore', 'pipe', 'ignore', ...extraStdio], (stdio) =>
    spawn(program, args, { stdio, cwd: fixture.root }),
  )
}

async function collectText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

function findRunningPids(marker: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readCommandLine(name).includes(`\0${marker}\0`))
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // The process has just ended.
    return ''
  }
}
