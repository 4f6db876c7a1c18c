import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { BoardTask, BoardTaskUpdate, TaskBoardPort } from '../../contract/ports/task-board.js'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { createTemporaryFolder } from '../../testing/query-fixture.js'
import { createTaskBoard } from './create-task-board.js'
import { applyUpdate } from './task-changes.js'

let folder: string
let board: TaskBoardPort
let otherSession: TaskBoardPort

beforeEach(async () => {
  folder = join(await createTemporaryFolder(), 'tasks')
  board = createTaskBoard({ folder, session: 's1' })
  otherSession = createTaskBoard({ folder, session: 's2' })
})

const add = (subject: string) => board.create({ subject, description: '' }, 'main')
const statuses = async () => (await board.list()).map(({ id, status }) => `${id} ${status}`)

test('tasks are numbered, shared between sessions and kept on disk', async () => {
  await add('Design')
  await otherSession.create({ subject: 'Build', description: 'With tests', activeForm: 'Building' }, 'main')

  const tasks = await createTaskBoard({ folder, session: 's3' }).list()

  expect(tasks.map(({ id, subject, status }) => [id, subject, status])).toEqual([
    ['1', 'Design', 'pending'],
    ['2', 'Build', 'pending'],
  ])
  expect(tasks[1]).toMatchObject({ description: 'With tests', activeForm: 'Building' })
})

describe('a claim', () => {
  test('is made by starting a task, and refused to another session', async () => {
    await add('Design')
    expect(await board.update('1', { status: 'in_progress' }, 'main')).toMatchObject({
      owner: { name: 'main', session: 's1' },
    })
    await expect(otherSession.update('1', { status: 'in_progress' }, 'main')).rejects.toThrow(
      'Task 1 belongs to "main" in another session. Release it first with owner "" if that session has ended.',
    )
    await expect(otherSession.update('1', { owner: 'main' }, 'main')).rejects.toThrow(
      'Task 1 belongs to "main" in another',
    )
    await expect(board.update('1', { owner: 'helper' }, 'helper')).rejects.toThrow(
      'Task 1 belongs to "main". Choose another task, or release it first with owner "".',
    )
  })

  test('is possible again after a release', async () => {
    await add('Design')
    await board.update('1', { owner: 'main' }, 'main')
    expect(await otherSession.update('1', { owner: '' }, 'main')).not.toHaveProperty('owner')
    expect(await otherSession.update('1', { owner: 'helper' }, 'main')).toMatchObject({ owner: { name: 'helper' } })
  })

  test('goes to exactly one of many that are made at once', async () => {
    await add('Design')
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`)
    const claims = await Promise.allSettled(names.map((name) => board.update('1', { owner: name }, name)))
    const winners = names.filter((_, index) => claims[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect((await board.get('1'))?.owner?.name).toBe(winners[0])
  })
})

describe('a dependency', () => {
  test('keeps a task from starting until its blockers are completed or deleted', async () => {
    for (const subject of ['Design', 'Review', 'Build']) await add(subject)
    await board.update('3', { addBlockedBy: ['1', '2'] }, 'main')
    await expect(board.update('3', { status: 'in_progress' }, 'main')).rejects.toThrow(
      'Task 3 waits for task 1, task 2. Complete these first.',
    )
    await board.update('1', { status: 'completed' }, 'main')
    await board.update('2', { status: 'deleted' }, 'main')
    expect((await board.update('3', { status: 'in_progress' }, 'main')).status).toBe('in_progress')
    expect(await statuses()).toEqual(['1 completed', '3 in_progress'])
  })

  test('that would be a cycle is refused with the cycle, and nothing changes', async () => {
    for (const subject of ['Design', 'Build', 'Test']) await add(subject)
    await board.update('1', { addBlocks: ['2'] }, 'main')
    await board.update('2', { addBlocks: ['3'] }, 'main')
    await expect(board.update('1', { subject: 'Plan', addBlockedBy: ['3'] }, 'main')).rejects.toThrow(
      'Task 1 cannot wait for task 3, because that would be a cycle: 1 → 2 → 3 → 1.',
    )
    await expect(board.update('1', { addBlocks: ['1'] }, 'main')).rejects.toThrow('would be a cycle')
    expect((await board.get('1'))?.subject).toBe('Design')
  })

  test('never forms a cycle, whatever is tried', () => {
    const ids = ['1', '2', '3', '4', '5', '6']
    const idLists = fc.array(fc.constantFrom(...ids), { maxLength: 3 })
    const updates = fc.array(fc.record({ id: fc.constantFrom(...ids), addBlocks: idLists, addBlockedBy: idLists }))
    fc.assert(
      fc.property(updates, (changes) => {
        let tasks: readonly BoardTask[] = ids.map(createTask)
        for (const { id, ...update } of changes) tasks = tryUpdate(tasks, id, update)
        expect(hasCycle(tasks)).toBe(false)
      }),
      createPropertyOptions(300),
    )
  })
})

test('an unknown task is an error that names the open ones', async () => {
  await add('Design')
  await expect(board.update('7', { status: 'completed' }, 'main')).rejects.toThrow(
    'There is no task "7" on the board. Open tasks: 1.',
  )
  await expect(board.update('1', { addBlocks: ['8'] }, 'main')).rejects.toThrow('There is no task "8"')
})

test('the history tells who changed what, and keeps only the latest changes', async () => {
  await add('Design')
  await board.update('1', { status: 'in_progress', description: 'All of it' }, 'helper')
  expect((await board.get('1'))?.history.map(({ by, text }) => `${by}: ${text}`)).toEqual([
    'main: created',
    'helper: status: in_progress; owner: helper; description changed',
  ])
  for (let count = 0; count < 40; count++) await board.update('1', { description: String(count) }, 'main')
  expect((await board.get('1'))?.history).toHaveLength(30)
})

test('finished tasks move to the archive when new work begins, and numbers are not used again', async () => {
  await add('Design')
  await board.update('1', { status: 'completed' }, 'main')
  expect(await statuses()).toEqual(['1 completed'])
  await add('Build')
  expect(await statuses()).toEqual(['2 pending'])
  expect(readFileSync(join(folder, 'archive.jsonl'), 'utf8')).toContain('"Design"')
})

test.each(['{"tasks": [', '{"nextId":2,"tasks":[{"id":1}]}', '[]', 'x'.repeat(100)])(
  'a damaged file is reported and not replaced: %s',
  async (content) => {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'board.json')
    writeFileSync(file, content)
    await expect(board.list()).rejects.toThrow(
      `The task board ${file} cannot be read. Move it away to start a new one.`,
    )
    await expect(add('Design')).rejects.toThrow('cannot be read')
    expect(readFileSync(file, 'utf8')).toBe(content)
  },
)

test('the tasks for display follow changes of other sessions', async () => {
  expect(board.listRecent()).toEqual([])
  await otherSession.create({ subject: 'Design', description: '' }, 'main')
  await expect.poll(() => board.listRecent().map(({ subject }) => subject)).toEqual(['Design'])
  expect(existsSync(join(folder, 'board.json.lock'))).toBe(false)
})

function createTask(id: string): BoardTask {
  return { id, subject: id, description: '', status: 'pending', blockedBy: [], history: [] }
}

function tryUpdate(tasks: readonly BoardTask[], id: string, update: BoardTaskUpdate): readonly BoardTask[] {
  try {
    return applyUpdate(tasks, id, update, { agent: { name: 'main', session: 's1' }, now: 0 })
  } catch {
    // Refused, because it would be a cycle.
    return tasks
  }
}

/** Removes tasks that wait for nothing until none is left; the rest is a cycle. */
function hasCycle(tasks: readonly BoardTask[]): boolean {
  let remaining = tasks
  for (;;) {
    const ids = new Set(remaining.map(({ id }) => id))
    const next = remaining.filter(({ blockedBy }) => blockedBy.some((id) => ids.has(id)))
    if (next.length === remaining.length) return next.length > 0
    remaining = next
  }
}
