import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import type { NamedTest } from '../test-with-program.js'

const canMount = process.getuid?.() === 0 && canMountHere()

/** A test that mounts a file system. Without permission to mount, it is skipped and its name says why. */
export const testMount: NamedTest = canMount ? test : test.skip
export const needsMount = canMount ? '' : ' [needs permission to mount]'

/** Mounts a file system until the test has ended. */
export function mountUntilTestEnd(args: readonly string[], mountPoint: string): void {
  execFileSync('mount', args)
  onTestFinished(() => {
    execFileSync('umount', [mountPoint])
  })
}

function canMountHere(): boolean {
  const mountPoint = mkdtempSync(join(tmpdir(), 'haft-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mountPoint], { stdio: 'ignore' })
  if (status === 0) execFileSync('umount', [mountPoint])
  rmSync(mountPoint, { recursive: true })
  return status === 0
}
