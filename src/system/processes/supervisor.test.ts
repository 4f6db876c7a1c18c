import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isAlive } from '../../testing/running-processes.js'
import { SUPERVISOR_SCRIPT } from './supervisor.js'

const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function startSleeper(environment: Record<string, string>, command = 'exec sleep 1000'): number {
  const child = spawn('sh', ['-c', command], { env: environment, stdio: 'ignore', detached: true })
  children.push(child)
  return child.pid ?? 0
}

/** Runs the script with these lines as its input and waits for its end. */
async function supervise(script: string, lines: readonly string[]): Promise<void> {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'inherit'] })
  children.push(child)
  const exitEvent = once(child, 'exit')
  child.stdin?.end(lines.map((line) => `${line}\n`).join(''))
  await exitEvent
}

describe.each([
  ['with /proc', SUPERVISOR_SCRIPT],
  ['with ps', SUPERVISOR_SCRIPT.replace('[ -r /proc/self/environ ]', 'false')],
])('the supervisor script %s', (_, script) => {
  test('ends marked processes and registered leaders, even if they ignore SIGTERM, and no others', async () => {
    const mark = randomUUID()
    const markedProcess = startSleeper({ PATH: process.env.PATH ?? '', HAFT_MARK: `other${mark}.1;` })
    const ignoringSigterm = startSleeper(
      { PATH: process.env.PATH ?? '', HAFT_MARK: `${mark}.2;` },
      'trap "" TERM; while :; do sleep 1; done',
    )
    const leader = startSleeper({ PATH: process.env.PATH ?? '' })
    const forgottenChild = startSleeper({ PATH: process.env.PATH ?? '' })
    const unrelatedPid = startSleeper({ PATH: process.env.PATH ?? '', HAFT_MARK: randomUUID() })

    await supervise(script, [
      `mark ${randomUUID()}`,
      `mark ${mark}`,
      `start ${forgottenChild}`,
      `start ${leader}`,
      `end ${forgottenChild}`,
    ])

    expect([markedProcess, ignoringSigterm, leader, forgottenChild, unrelatedPid].map(isAlive)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ])
  })

  test('ends no process after it was dismissed', async () => {
    const mark = randomUUID()
    const markedProcess = startSleeper({ PATH: process.env.PATH ?? '', HAFT_MARK: mark })

    await supervise(script, [`mark ${mark}`, `start ${markedProcess}`, 'dismiss'])

    expect(isAlive(markedProcess)).toBe(true)
  })

  test('removes every registered folder, whatever its name', async () => {
    const folders = ["haft a 'b' $c \\d ", 'haft-* '].map((name) => mkdtempSync(join(tmpdir(), name)))

    await supervise(
      script,
      folders.map((folder) => `folder ${folder}`),
    )

    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false])
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
})
