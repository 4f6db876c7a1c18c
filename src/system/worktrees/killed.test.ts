import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createWorktree } from './create-worktree.js'
import { countLost, git, hashContents, WorktreeFixture, write } from './fixture-worktrees.js'
import { removeWorktree } from './remove-worktree.js'
import { findRepository, toWorktree } from './worktree-repository.js'

/** Creates or removes a worktree, and kills itself before or after the step with the given number, or when it is asked. */
const PROGRAM = `
  import childProcess from 'node:child_process'
  import fs from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const [, , action, project, killAt] = process.argv
  let step = 0
  const count = () => { if (++step === Number(killAt)) process.kill(process.pid, 'SIGKILL') }
  const { execFile } = childProcess
  childProcess.execFile = (file, args, options, callback) => {
    count()
    return execFile(file, args, options, (...answer) => { count(); callback(...answer) })
  }
  for (const name of ['unlink', 'rmdir', 'rename']) {
    const change = fs[name]
    fs[name] = async (...args) => { count(); return change(...args) }
  }
  syncBuiltinESMExports()
  const { createWorktree } = await import('./create-worktree.ts')
  const { removeWorktree } = await import('./remove-worktree.ts')
  const { findRepository, toWorktree } = await import('./worktree-repository.ts')
  const { signal } = new AbortController()
  const die = async () => process.kill(process.pid, 'SIGKILL')
  const objectAndDisturb = async () => {
    const { rmdir } = fs
    fs.rmdir = async (folder) => {
      await fs.writeFile(Buffer.concat([folder, Buffer.from('/late')]), '')
      return rmdir(folder)
    }
    syncBuiltinESMExports()
    return 'not today'
  }
  if (action === 'create') await createWorktree(project, 'work', { signal })
  else if (action === 'ask') await createWorktree(project, 'work', { signal, findObjection: die })
  else if (action === 'object') await createWorktree(project, 'work', { signal, findObjection: objectAndDisturb })
  else await removeWorktree(toWorktree(await findRepository(project), 'work'), { setsAside: action === 'move' })
  console.log(step)
`

const fixture = new WorktreeFixture()
const program = join(fixture.folder, 'program.mjs')
beforeAll(async () => {
  const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const
  await build({ ...options, stdin: { contents: PROGRAM, resolveDir: import.meta.dirname }, outfile: program })
})
afterAll(() => fixture.remove())

/** Returns the number of steps, or undefined if the process was killed. */
function run(action: string, project: string, killAt: number): number | undefined {
  const { stdout, stderr, signal } = spawnSync(process.execPath, [program, action, project, String(killAt)], {
    encoding: 'utf8',
  })
  if (signal === 'SIGKILL') return undefined
  if (stdout === '') throw new Error(stderr)
  return Number(stdout)
}

/** Some of the steps, at equal distances, and the last one; all of them in long tests. */
function chooseSteps(stepCount: number): readonly number[] {
  const { numRuns } = createPropertyOptions(4)
  const distance = Math.max(1, Math.floor(stepCount / numRuns))
  const steps = Array.from({ length: stepCount }, (_, index) => index + 1)
  return steps.filter((step) => step === stepCount || step % distance === 0)
}

test('a creation that was killed anywhere can be repeated', async () => {
  const stepCount = run('create', fixture.copy(), 0) ?? 0
  for (const step of chooseSteps(stepCount)) {
    const project = fixture.copy()
    expect(run('create', project, step)).toBe(undefined)

    const { signal } = new AbortController()
    const worktree = await createWorktree(project, 'work', { signal, mayExist: true })

    expect(readFileSync(join(worktree.path, 'src/deep/c.txt'), 'utf8')).toBe('three\n')
    expect(git(worktree.path, 'status', '--porcelain')).toBe('')
    expect(await removeWorktree(worktree)).toEqual({ kind: 'removed', refs: [] })
    expect(git(project, 'branch', '--list', 'haft/*')).toBe('')
  }
})

test('a worktree is asked about again if the process was killed before the answer', async () => {
  const project = fixture.copy()
  expect(run('ask', project, 0)).toBe(undefined)
  const { signal } = new AbortController()
  const enter = (objection?: string) =>
    createWorktree(project, 'work', { signal, mayExist: true, findObjection: async () => objection })

  await expect(enter('not today')).rejects.toThrow('not today')
  expect(existsSync(join(project, '.haft/worktrees/work'))).toBe(false)
  expect(await enter()).toMatchObject({ isNew: true })
  expect(await enter('too late')).toMatchObject({ isNew: false })
})

test('a refused worktree that changed while it was being removed is asked about again', async () => {
  const project = fixture.copy()
  expect(() => run('object', project, 0)).toThrow('not today. The worktree')
  const { signal } = new AbortController()
  const findObjection = async () => 'not tomorrow'

  const again = createWorktree(project, 'work', { signal, mayExist: true, findObjection })

  await expect(again).rejects.toThrow('not tomorrow. The worktree')
  expect(existsSync(join(project, '.haft/worktrees/work/src/deep/late'))).toBe(true)
})

for (const [action, change] of [
  ['remove', () => undefined],
  ['move', (path: string) => write(join(path, 'new.txt'), 'new\n')],
] as const) {
  test(`a killed "${action}" loses nothing and can be repeated`, async () => {
    const first = await fixture.open()
    change(first.worktree.path)
    const stepCount = run(action, first.project, 0) ?? 0
    expect(stepCount).toBeGreaterThan(20)
    for (const step of chooseSteps(stepCount)) {
      const { project, worktree } = await fixture.open()
      change(worktree.path)
      const before = hashContents(project)
      expect(run(action, project, step)).toBe(undefined)
      expect(countLost(before, project)).toBe(0)

      const result = await removeWorktree(toWorktree(await findRepository(project), 'work'), {
        setsAside: action === 'move',
      })

      expect(result.kind).toBe('removed')
      expect(existsSync(worktree.path)).toBe(false)
      expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
      expect(git(project, 'branch', '--list', 'haft/*')).toBe('')
      expect(countLost(before, project)).toBe(0)
    }
  })
}
