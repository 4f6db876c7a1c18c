import { mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ToolContext } from '../../contract/tool/tool.js'
import { Spill } from '../../results/spill.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import type { CommandInput } from '../commands/command-input.js'
import { BashTool } from './tool.js'

let shell: TestShell
let cwd: string
let callCount = 0

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  cwd = shell.folder
})
afterEach(async () => {
  await shell.close()
  expect(shell.findRunningPids()).toEqual([])
})

/** Calls the tool as a conversation does: each call starts in the folder in which the previous one ended. */
async function call(input: CommandInput, signal = new AbortController().signal): Promise<string> {
  const options = { tools: [{ name: 'TaskOutput', readsTasks: true }] }
  const port = Object.assign(Object.create(shell.port), { workingFolders: () => [shell.folder] })
  const context = {
    toolUseId: `call${++callCount}`,
    cwd,
    signal,
    options,
    shell: port,
  } as unknown as ToolContext<'shell'>
  const { data, contextModifier } = await BashTool.call(input, context, async () => ({ behavior: 'allow' }), {
    type: 'assistant',
    content: [],
  })
  cwd = contextModifier?.(context).cwd ?? cwd
  return String(BashTool.mapToolResultToToolResultBlockParam(data, 't').content)
}

test('the working directory persists between calls, variables do not', async () => {
  await call({ command: 'mkdir sub && cd sub && X=1; export X' })
  expect(await call({ command: 'pwd; echo "x=$X"' })).toBe(`${shell.folder}/sub\nx=`)
})

test('after a command that ends outside the project, the next command starts in the project', async () => {
  expect(await call({ command: 'cd / && pwd' })).toContain('The command ended in /, outside the working directories')
  expect(await call({ command: 'pwd' })).toBe(shell.folder)
})

test('the next command starts in the project if the working directory was removed', async () => {
  mkdirSync(join(shell.folder, 'sub'))
  await call({ command: 'cd sub' })
  rmdirSync(join(shell.folder, 'sub'))

  expect(await call({ command: 'pwd' })).toContain(`sub no longer exists. The next command starts in ${shell.folder}.`)
  expect(await call({ command: 'pwd' })).toBe(shell.folder)
})

test('colours, progress bars, NULs and broken characters are made readable', async () => {
  const command = `printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\nA\\0B\\xff\\n'`
  expect(await call({ command })).toBe('red\n100%\nA\u2400B\ufffd')
})

test('a command that reads stdin gets the end of input at once', async () => {
  expect(await call({ command: 'read x; echo "got $?"' })).toBe('got 1')
})

test('a missing command is reported', async () => {
  expect(await call({ command: 'no-such-program' })).toContain('Exit code 127: the command was not found.')
})

test('output that is too long is stored completely in a file', async () => {
  const text = await call({ command: `seq 1 100000` })
  const path = /\/\S+\.\w+/.exec(text)?.[0] ?? ''
  expect(text.length).toBeLessThan(9_000)
  expect(text.length).toBeGreaterThan(7_900)
  expect(readFileSync(path, 'utf8')).toMatch(/^1\n2\n.*\n100000\n$/s)
})

describe('a command that exceeds its time limit', () => {
  test('continues in the background, where it can be read and stopped', async () => {
    let text = ''
    let id = ''
    // The time limit is raised until the command prints before it, because a loaded machine starts it slowly.
    for (let timeout = 300; !text.startsWith('first') && timeout < 60_000; timeout *= 4) {
      await shell.port.tasks.stop(id)
      text = await call({ command: 'echo first; read -t 1000 < <(sleep 1000)', timeout })
      id = /as task (\S+)\. /.exec(text)?.[1] ?? ''
    }

    expect(text).toMatch(/^first\n\nStill running after [\d.]+ s; it continues in the background/)
    expect((await shell.port.tasks.output(id))?.task.status).toBe('running')
    expect((await shell.port.tasks.stop(id))?.status).toBe('stopped')
  })
})

test('an interrupted command returns the output it had so far', async () => {
  const interruption = new AbortController()
  const options = { tools: [] }
  const context = { toolUseId: 'stopped', cwd, signal: interruption.signal, options, shell: shell.port }
  const onProgress = () => interruption.abort()

  await expect(
    BashTool.call(
      { command: 'echo first; sleep 600' },
      context as unknown as ToolContext<'shell'>,
      async () => ({ behavior: 'allow' }),
      { type: 'assistant', content: [] },
      onProgress,
    ),
  ).rejects.toMatchObject({ code: 'cancelled', outputSoFar: 'first\n' })
})
