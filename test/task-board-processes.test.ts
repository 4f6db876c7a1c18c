import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import type { BoardTask } from '../src/contract/ports/task-board.js'
import { createTaskBoard } from '../src/ports/task-board/create-task-board.js'
import { createTemporaryFolder } from '../src/testing/query-fixture.js'

/** Two sessions claim each task, so 500 tasks are 1,000 claims. */
const TASK_COUNT = process.env.HAFT_LONG_TESTS ? 500 : 60

test('of two processes that claim the same tasks, one gets each task, and no cycle appears, even if one is killed', async () => {
  const folder = await createTemporaryFolder()
  const program = await bundleFixture(folder)
  const boardFolder = join(folder, 'tasks')
  const board = createTaskBoard({ folder: boardFolder, session: 'setup' })
  for (let count = 0; count < TASK_COUNT; count++)
    await board.create({ subject: `Task ${count}`, description: '' }, 'setup')
  const start = (session: string) => new Claimer(program, [boardFolder, session, String(TASK_COUNT)])

  const first = start('a')
  const second = start('b')
  await first.waitForClaim()
  first.child.kill('SIGKILL')
  await first.ended
  // The same session, after a restart.
  const restarted = start('a')
  await Promise.all([second.ended, restarted.ended])

  expect([second.isDone, restarted.isDone]).toEqual([true, true])
  const tasks = await board.list()
  const ownedBy = (session: string) => tasks.filter(({ owner }) => owner?.session === session).map(({ id }) => id)
  expect(ownedBy('a').length + ownedBy('b').length).toBe(TASK_COUNT)
  expect(new Set(second.claimedIds)).toEqual(new Set(ownedBy('b')))
  // A claim that was written just before the kill was not printed, but the restarted process confirms it.
  expect(new Set([...first.claimedIds, ...restarted.claimedIds])).toEqual(new Set(ownedBy('a')))
  expect(sortByDependencies(tasks)).toHaveLength(TASK_COUNT)
}, 300_000)

class Claimer {
  readonly child: ChildProcess
  readonly claimedIds: string[] = []
  readonly ended: Promise<unknown>
  isDone = false
  #onClaim: (() => void) | undefined

  constructor(program: string, args: readonly string[]) {
    this.child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.#receive(line))
    this.ended = once(this.child, 'close')
  }

  waitForClaim(): Promise<void> {
    return new Promise((resolve) => {
      this.#onClaim = resolve
      if (this.claimedIds.length > 0) resolve()
    })
  }

  #receive(line: string): void {
    if (line === 'done') this.isDone = true
    else this.claimedIds.push(line)
    this.#onClaim?.()
  }
}

async function bundleFixture(folder: string): Promise<string> {
  const entryPoint = fileURLToPath(new URL('fixtures/claim-tasks.ts', import.meta.url))
  const outfile = join(folder, 'claim-tasks.mjs')
  await build({ entryPoints: [entryPoint], bundle: true, platform: 'node', format: 'esm', logLevel: 'error', outfile })
  return outfile
}

/** The tasks in an order in which each comes after those it waits for. Tasks in a cycle are missing. */
function sortByDependencies(tasks: readonly BoardTask[]): readonly string[] {
  const sortedIds = new Set<string>()
  for (let countBefore = -1; countBefore < sortedIds.size; ) {
    countBefore = sortedIds.size
    for (const { id, blockedBy } of tasks) if (blockedBy.every((blocker) => sortedIds.has(blocker))) sortedIds.add(id)
  }
  return [...sortedIds]
}
