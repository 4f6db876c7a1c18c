import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { GIT_TEST_ENVIRONMENT, makeGitFixture } from '../src/testing/files/git-fixture.js'
import { createPropertyOptions } from '../src/testing/property-runs.js'
import { type CheckpointedProject, createCheckpointedProject, readTree } from './lib/checkpointed-project.js'
import { type Change, fillProject, makeChange, randomChange } from './lib/random-changes.js'

const CHANGE_COUNT = 100
/** Many attempts are impossible in the current state, such as moving a file that does not exist. */
const ATTEMPT_COUNT = 6 * CHANGE_COUNT
const openProjects: CheckpointedProject[] = []
afterEach(async () => {
  for (const project of openProjects.splice(0)) {
    await project.close()
    project.remove()
  }
})
function createProject(): CheckpointedProject {
  const project = createCheckpointedProject()
  openProjects.push(project)
  return project
}

/** Tries changes until enough have had an effect. Returns a function that returns the tree before a call. */
async function makeChanges(project: CheckpointedProject, changes: readonly Change[]) {
  const snapshots: { readonly tree: ReturnType<typeof readTree>; readonly calls: number }[] = []
  let effectiveChanges = 0
  for (const change of changes) {
    const tree = readTree(project.folder)
    snapshots.push({ tree, calls: project.callCount() })
    await makeChange(change, project)
    if (!isDeepStrictEqual(tree, readTree(project.folder)) && ++effectiveChanges === CHANGE_COUNT) break
  }
  expect(effectiveChanges).toBe(CHANGE_COUNT)
  return (toolUseId = '') => {
    const call = Number(toolUseId.slice('toolu_'.length))
    return snapshots.findLast(({ calls }) => calls < call)?.tree
  }
}

test('a rewind over 100 random changes restores the exact tree and can itself be undone', async () => {
  const changes = fc.array(randomChange, { minLength: ATTEMPT_COUNT, maxLength: ATTEMPT_COUNT })
  const rewindPoints = fc.array(fc.nat(), { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(changes, rewindPoints, async (randomChanges, positions) => {
      const project = createProject()
      fillProject(project)
      const treeBefore = await makeChanges(project, randomChanges)
      await project.close()
      const records = await project.list()
      expect(records.filter(({ unknown, after }) => unknown || after === undefined)).toEqual([])
      const end = readTree(project.folder)

      for (const at of positions.map((position) => position % records.length)) {
        const [earlierRecord, laterRecord] = [records[at >> 1], records[at]]
        const { id } = await project.rewind(laterRecord?.id ?? '')
        expect(readTree(project.folder)).toEqual(treeBefore(laterRecord?.toolUseId))
        const secondRewind = await project.rewind(earlierRecord?.id ?? '')
        expect(readTree(project.folder)).toEqual(treeBefore(earlierRecord?.toolUseId))
        const undo = id ?? secondRewind.id
        if (undo !== undefined) await project.rewind(undo)
        expect(readTree(project.folder)).toEqual(end)
      }
    }),
    { ...createPropertyOptions(1), endOnFailure: true },
  )
}, 600_000)

test('a rewind changes nothing if the user has changed a file since the calls', async () => {
  const project = createProject()
  writeFileSync(project.at('a'), 'old\n')
  await project.perform('Read', { file_path: 'a' })
  await project.perform('Edit', { file_path: 'a', old_string: 'old', new_string: 'new' })
  await project.perform('Bash', { command: 'mkdir made && cp a made/b' })
  writeFileSync(project.at('a'), 'mine\n')
  const [first, second] = await project.list()
  const tree = readTree(project.folder)

  await expect(project.rewind(first?.id ?? '')).rejects.toThrow(
    `${project.at('a')} has since been changed by another program`,
  )
  expect(readTree(project.folder)).toEqual(tree)

  await project.rewind(second?.id ?? '')
  expect(readTree(project.folder)).toEqual({ a: '644 mine\n' })
})

test("a rewind restores files that git tracks and does not touch git's own files", async () => {
  const project = createProject()
  makeGitFixture(project.folder)
  const status = readGitStatus(project.folder)
  // The tree includes everything in .git, above all the index.
  const tree = readTree(project.folder)
  expect(tree['.git/index']).toBeDefined()

  await project.perform('Read', { file_path: 'staged.txt' })
  await project.perform('Write', { file_path: 'staged.txt', content: 'overwritten\n' })
  await project.perform('Bash', { command: 'rm -r src && mv a.txt moved.txt && chmod 755 b.txt' })
  const [first] = await project.list()
  const { id } = await project.rewind(first?.id ?? '')

  expect(readTree(project.folder)).toEqual(tree)
  expect(readGitStatus(project.folder)).toBe(status)
  expect(await project.rewind(id ?? '')).toMatchObject({ paths: expect.arrayContaining([project.at('moved.txt')]) })
  expect(readFileSync(project.at('staged.txt'), 'utf8')).toBe('overwritten\n')
})

function readGitStatus(folder: string): string {
  const env = { ...GIT_TEST_ENVIRONMENT, GIT_OPTIONAL_LOCKS: '0' }
  return execFileSync('git', ['status', '--porcelain'], { cwd: folder, env, encoding: 'utf8' })
}
