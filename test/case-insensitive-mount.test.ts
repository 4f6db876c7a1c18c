import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CaseProbe } from '../src/ports/paths/case-probe.js'
import { identifyPath } from '../src/ports/paths/node-path-facts.js'
import { needsMount } from '../src/testing/files/mounts.js'
import { testWithProgram } from '../src/testing/test-with-program.js'

const BIN = join(import.meta.dirname, '..', 'bin', 'haft')

let folder: string
/** A project on an NTFS disk that ignores letter case, as disks of Windows do under Linux. */
let project: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-case-'))
  const mount = join(folder, 'mount')
  const image = join(folder, 'disk')
  mkdirSync(mount)
  writeFileSync(image, '')
  truncateSync(image, 8 << 20)
  if (spawnSync('mkntfs', ['--quick', '--quiet', '--force', image], { env: { PATH: SYSTEM_PATH } }).status !== 0) return
  execFileSync('lowntfs-3g', ['-o', 'ignore_case', image, mount], { env: { PATH: SYSTEM_PATH } })
  project = join(mount, 'project')
  mkdirSync(project)
  writeFileSync(join(project, '.env'), 'secret-value')
})
afterAll(() => {
  if (project !== undefined) execFileSync('umount', ['--lazy', join(folder, 'mount')])
  rmSync(folder, { recursive: true })
})

const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
// Without permission to mount, or without FUSE in the kernel, there is no such disk.
const testOnNtfs = needsMount === '' && existsSync('/dev/fuse') ? testWithProgram('lowntfs-3g', 'ntfs-3g') : test.skip

const RULES = { allow: ['Read', 'Bash'], deny: ['Read(./.env)'] }

function call(tool: string, input: object, settings: object = { permissions: RULES }): string {
  const options = ['--settings', JSON.stringify(settings)]
  const { stdout, stderr } = spawnSync(process.execPath, [BIN, 'call', tool, JSON.stringify(input), ...options], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: folder },
    encoding: 'utf8',
  })
  return stdout + stderr
}

describe(`on a disk that ignores letter case${needsMount}`, () => {
  testOnNtfs('a file is found under another spelling', () => {
    expect(existsSync(join(project, '.ENV'))).toBe(true)
  })

  testOnNtfs('a deny rule holds for every spelling of its file', () => {
    for (const output of [
      call('Read', { file_path: join(project, '.ENV') }),
      call('Read', { file_path: join(project, '../PROJECT/.env') }),
      call('Bash', { command: 'cat .Env' }),
    ]) {
      expect(output).not.toContain('secret-value')
      expect(output).toMatch(/Read\(\.\/\.env\) .* denies/)
    }
  })

  testOnNtfs('a command that could reach a hidden or protected file under another spelling is refused', () => {
    writeFileSync(join(project, 'script.sh'), 'cat .ENV; mkdir .HAFT')
    const refusal = /The sandbox cannot protect .* its disk ignores letter case/
    const sandbox = { enabled: true }

    for (const settings of [
      { permissions: RULES, sandbox },
      { permissions: { allow: ['Bash'] }, sandbox },
    ])
      expect(call('Bash', { command: 'sh ./script.sh' }, settings)).toMatch(refusal)
    expect(call('Bash', { command: 'pwd' })).toMatch(refusal)
    expect(existsSync(join(project, '.haft'))).toBe(false)
  })

  testOnNtfs('a read-only command is confined if nothing is hidden', () => {
    expect(call('Bash', { command: 'ls -A' }, {})).toContain('.env')
  })

  testOnNtfs('all spellings of a file have one identity, so that calls for it wait for each other', () => {
    const probe = new CaseProbe()

    expect(identifyPath(join(project, '.ENV'), probe)).toBe(identifyPath(join(project, '.env'), probe))
    expect(identifyPath(join(folder, 'DISK'), probe)).not.toBe(identifyPath(join(folder, 'disk'), probe))
  })
})
