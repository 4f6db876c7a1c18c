import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { findByPs, findProcesses } from './end-processes.js'
import { readStat } from './process-table.js'
import { createTreeMark } from './supervised-processes.js'

const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function startSleeper(environment: Record<string, string>, { detached = true } = {}): number {
  const child = spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, ...environment }, stdio: 'ignore', detached })
  children.push(child)
  return child.pid ?? 0
}

describe.each([
  ['findProcesses', findProcesses],
  ['findByPs', findByPs],
])('%s', (_, find) => {
  test('finds processes with the mark and processes of the leader', async () => {
    const port = randomUUID()
    const first = startSleeper({ HAFT_MARK: createTreeMark(port, 1) })
    const innerTree = startSleeper({ HAFT_MARK: `${createTreeMark(port, 1)}${createTreeMark(randomUUID(), 7)}` })
    const otherTree = startSleeper({ HAFT_MARK: createTreeMark(port, 11) })
    const leader = startSleeper({})

    const findSorted = async (query: Parameters<typeof find>[0]): Promise<readonly number[]> =>
      (await find(query)).pids.toSorted((a, b) => a - b)

    expect(await findSorted({ mark: createTreeMark(port, 1) })).toEqual([first, innerTree].toSorted((a, b) => a - b))
    expect(await findSorted({ mark: port })).toEqual([first, innerTree, otherTree].toSorted((a, b) => a - b))
    expect(await findSorted({ mark: randomUUID(), leader })).toEqual([leader])
    expect(await findSorted({ mark: randomUUID() })).toEqual([])
  })

  test('ignores zombies', async () => {
    const mark = randomUUID()
    const parent = spawn('sh', ['-c', '(until grep -q sleep /proc/$$/comm; do :; done) & echo $!; exec sleep 1000'], {
      env: { PATH: process.env.PATH, HAFT_MARK: mark },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(parent)
    const zombie = await new Promise<number>((resolve) => parent.stdout.once('data', (line) => resolve(Number(line))))
    while (readStat(zombie)?.state !== 'Z') await new Promise((resolve) => setImmediate(resolve))

    expect((await find({ mark })).pids).toEqual([parent.pid])
  })
})

test('processes that started before `startedAt` are ignored', async () => {
  const mark = randomUUID()
  const pid = startSleeper({ HAFT_MARK: mark })
  const { startedAt = 0 } = readStat(pid) ?? {}

  expect((await findProcesses({ mark, startedAt })).pids).toEqual([pid])
  expect((await findProcesses({ mark, startedAt: startedAt + 1 })).pids).toEqual([])
})

test('other processes in the session of this process are not found, even if one of them has the mark', async () => {
  const mark = randomUUID()
  const pid = startSleeper({ HAFT_MARK: mark }, { detached: false })

  expect((await findProcesses({ mark })).pids).toEqual([pid])
})
