import { expect, test } from 'vitest'
import type { BackgroundTask, TaskEnd, TaskWork } from '../../contract/ports/tasks.js'
import { TaskRegistry } from './task-registry.js'

interface FakeWork extends TaskWork {
  end(end: TaskEnd): void
}

function createFakeWork(description = 'work'): FakeWork {
  let end: (end: TaskEnd) => void = () => undefined
  const ended = new Promise<TaskEnd>((resolve) => {
    end = resolve
  })
  return {
    kind: 'monitor',
    description,
    ended,
    end,
    takeOutput: () => ({ text: 'output', receivedBytes: 4 }),
    peek: () => 'output',
    stop: async () => end({ status: 'stopped', exitCode: null }),
  }
}

test('a background task is listed while it runs and after it has ended', async () => {
  const endedTasks: BackgroundTask[] = []
  const registry = new TaskRegistry({ onTaskEnded: (task) => endedTasks.push(task) })
  const work = createFakeWork()
  const { id } = registry.add(work)

  expect(registry.list()).toEqual([{ id, kind: 'monitor', description: 'work', status: 'running' }])
  work.end({ status: 'failed', exitCode: 3 })
  await registry.output(id, { waitMs: 60_000 })

  const task = { id, kind: 'monitor', description: 'work', status: 'failed', exitCode: 3 }
  expect(registry.list()).toEqual([task])
  expect(endedTasks).toEqual([task])
})

test('a wait for a background task ends at its time limit or when aborted, and the task continues', async () => {
  const registry = new TaskRegistry()
  const { id } = registry.add(createFakeWork())

  expect(await registry.output(id, { waitMs: 1 })).toMatchObject({ task: { status: 'running' }, text: 'output' })
  const signal = AbortSignal.abort()
  expect(await registry.output(id, { waitMs: 600_000, signal })).toMatchObject({ task: { status: 'running' } })
})

test('stopping a task waits for its end, and does nothing if it has ended', async () => {
  const registry = new TaskRegistry()
  const work = createFakeWork()
  const { id } = registry.add(work)

  expect(await registry.stop(id)).toMatchObject({ status: 'stopped', exitCode: null })
  expect(await registry.stop(id)).toMatchObject({ status: 'stopped' })
})

test('reading or stopping a task with an unknown id returns undefined', async () => {
  const registry = new TaskRegistry()

  expect(await registry.output('shell-1')).toBeUndefined()
  expect(await registry.stop('shell-1')).toBeUndefined()
})

test('all running tasks and a limited number of ended tasks stay listed', async () => {
  const registry = new TaskRegistry({ maxEndedTasks: 2 })
  const fakeWorks = ['a', 'b', 'c', 'd'].map(createFakeWork)
  for (const work of fakeWorks) registry.add(work)
  const runningWork = createFakeWork('running')
  registry.add(runningWork)

  for (const work of fakeWorks.toReversed()) {
    work.end({ status: 'completed', exitCode: 0 })
    await work.ended
  }

  expect(registry.list().map(({ description }) => description)).toEqual(['running', 'b', 'a'])
})
