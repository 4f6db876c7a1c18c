import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CheckpointedProject, createCheckpointedProject } from './lib/checkpointed-project.js'

let project: CheckpointedProject
beforeEach(() => {
  project = createCheckpointedProject()
  execFileSync('mkfifo', [project.at('gate')])
  writeFileSync(project.at('a'), 'old')
  writeFileSync(project.at('new'), 'new')
})
afterEach(async () => {
  await project.close()
  project.remove()
})

/** Waits until the test opens the gate, and then copies `new` over `a`. */
const COMMAND = 'cat gate; cp new a'
const openGate = () => writeFile(project.at('gate'), '')
const read = (name: string) => readFileSync(project.at(name), 'utf8')

async function startCommand(input: object = { run_in_background: true }, command = COMMAND): Promise<string> {
  const text = await project.perform('Bash', { command, ...input })
  const [taskId = ''] = /shell-\d+/.exec(text) ?? []
  return taskId
}

test.each<[string, object]>([
  ['started in the background', { run_in_background: true }],
  ['moved there at its time limit', { timeout: 50 }],
])('the changes of a command that was %s can be undone even if they came after the result', async (_, input) => {
  const taskId = await startCommand(input)
  const [runningCheckpoint] = await project.list()
  expect([runningCheckpoint?.after, runningCheckpoint?.unknown, read('a')]).toEqual([undefined, false, 'old'])

  await openGate()
  await project.perform('TaskOutput', { task_id: taskId })
  expect(read('a')).toBe('new')
  await project.close()

  await project.rewind(runningCheckpoint?.id ?? '')
  expect(read('a')).toBe('old')
})

test('a change by someone else after the command has ended is not overwritten', async () => {
  const taskId = await startCommand()
  await openGate()
  await project.perform('TaskOutput', { task_id: taskId })
  await project.close()
  writeFileSync(project.at('a'), 'mine')

  const [record] = await project.list()
  await expect(project.rewind(record?.id ?? '')).rejects.toThrow('has since been changed by another program')
})

test('calls that change the same file while the command runs are undone together with it', async () => {
  const taskId = await startCommand()
  await project.perform('Read', { file_path: 'a' })
  await project.perform('Edit', { file_path: 'a', old_string: 'old', new_string: 'edited' })
  await openGate()
  await project.perform('TaskOutput', { task_id: taskId })
  await project.close()

  const [command] = await project.list()
  await project.rewind(command?.id ?? '')
  expect(read('a')).toBe('old')
})

test('the changes of a command that was stopped by dispose can be undone', async () => {
  await startCommand(undefined, 'cp new a; cat gate')
  await project.perform('Bash', { command: 'until cmp -s a new; do :; done' })
  await project.close()

  const [record] = await project.list()
  await project.rewind(record?.id ?? '')
  expect(read('a')).toBe('old')
})

test('a command that leaves a process running is marked as having unknown changes, because that process can write at any time', async () => {
  const taskId = await startCommand(undefined, `(${COMMAND}) > log 2>&1 &`)
  await project.perform('TaskOutput', { task_id: taskId })
  await expect.poll(async () => (await project.list())[0]).toMatchObject({ unknown: true, after: {} })
  await openGate()
})
