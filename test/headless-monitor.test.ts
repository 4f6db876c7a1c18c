import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { isAlive } from '../src/testing/running-processes.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { file, writeProgram, run, start } = createHeadlessFixture()

const variables = { HAFT_TOOL_SEARCH: 'false' }
const ALLOWED = ['--allowed-tools', 'Monitor']

test('haft -p waits for a monitor, and each report wakes the model', async () => {
  await writeFile(file('watch.sh'), 'echo first; while [ ! -e go ]; do sleep 0.02; done; echo second')
  // The second line comes only after the model has reacted to the first one.
  const model = await writeProgram(`{ turns: Array(20).fill((request) => {
    const text = messagesText(request)
    if (!text.includes('monitor-1')) return use('Monitor', { command: 'sh watch.sh', description: 'the build' })
    if (text.includes('has ended')) return text.includes('second') ? 'I saw both lines and the end.' : 'A line is missing.'
    return text.includes('first') && !text.includes('"Write"') ? use('Write', { file_path: 'go', content: '' }) : 'I wait.'
  }) }`)

  const { code, stdout, stderr } = await run(
    ['-p', 'Watch the build', '--permission-mode', 'acceptEdits', ...ALLOWED, ...model],
    { variables },
  )

  expect([code, stdout.trim(), stderr]).toEqual([0, 'I saw both lines and the end.', expect.any(String)])
})

test('haft -p ends by itself when a monitor reaches its limit', async () => {
  const model = await writeProgram(`{ turns: [
    use('Monitor', { command: 'sleep 600', idle_timeout: 0.05 }),
    ...Array(9).fill((request) => /no output for 0\\.05 s/.exec(messagesText(request))?.[0] ?? 'I wait.'),
  ] }`)

  const { code, stdout } = await run(['-p', 'Watch', ...ALLOWED, ...model], { variables })

  expect(code).toBe(0)
  expect(stdout).toContain('no output for 0.05 s')
})

test('a signal ends haft -p and the command of its monitor', async () => {
  const model = await writeProgram(`{ turns: [
    use('Monitor', { command: 'echo $$ > pid; exec sleep 600' }),
    (request) => use('Bash', { command: 'while [ ! -s pid ]; do sleep 0.02; done; cat pid' }),
    (request) => 'pid ' + results(request).at(-1),
  ] }`)
  const process = start(
    ['-p', 'Watch', '--output-format', 'stream-json', '--allowed-tools', 'Monitor,Bash', ...model],
    variables,
  )
  let pid: number | undefined
  while (pid === undefined) {
    const line = JSON.stringify(await process.next())
    pid = Number(/pid (\d+)/.exec(line)?.[1]) || undefined
  }

  process.child.kill('SIGTERM')
  await process.exited

  expect(isAlive(pid)).toBe(false)
})
