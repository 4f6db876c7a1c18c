import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import { Spill } from '../../results/spill.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import { analyseCommand } from '../../shell/analyse-command.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { BashTool } from './tool.js'

let shell: TestShell
let runtime: HaftRuntime
let questions: PermissionQuestion[]
/** What happens while the person reads the question. */
let meanwhile: () => void

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  questions = []
  meanwhile = () => {}
  runtime = createToolRuntime({
    tools: [BashTool],
    cwd: shell.folder,
    ports: { shell: shell.port },
    decisionPorts: { shell: { analyse: ({ command, cwd }) => analyseCommand(command, { cwd }) } },
    async ask(question) {
      questions.push(question)
      meanwhile()
      return { behavior: 'allow' }
    },
  })
})
afterEach(async () => {
  await runtime.dispose()
  await shell.close()
})

async function run(...commands: readonly string[]): Promise<readonly ToolResultBlock[]> {
  const calls = commands.map((command, index) => {
    return { type: 'tool_use', id: `toolu_${index}`, name: 'Bash', input: { command } } as const
  })
  return (await runtime.run(calls)).results
}

test('what only reads runs without a question, anything else with one', async () => {
  writeFileSync(join(shell.folder, 'a'), 'text\n')
  expect((await run('cat a'))[0]?.content).toBe('text')
  expect(questions).toEqual([])

  await run('touch b')
  expect(questions).toHaveLength(1)
  expect(existsSync(join(shell.folder, 'b'))).toBe(true)
})

test('the folder that a command leaves is that of the next, in the same message and in later ones', async () => {
  const results = await run('mkdir sub && cd sub', 'pwd')
  expect(results[1]?.content).toBe(join(shell.folder, 'sub'))
  expect((await run('pwd'))[0]?.content).toBe(join(shell.folder, 'sub'))
})

test('a command that fails takes along those that counted on it, yet keeps its folder', async () => {
  const [failed, after] = await run('mkdir sub && cd sub && false', 'touch made')

  expect(failed?.is_error).toBe(true)
  expect(after?.content).toContain('Not run, because Bash before it in the same message failed.')
  expect(runtime.cwd).toBe(join(shell.folder, 'sub'))
  expect(existsSync(join(shell.folder, 'made'))).toBe(false)
})

test('an answer that is no failure takes nothing along', async () => {
  writeFileSync(join(shell.folder, 'a'), 'text\n')
  const [grep, after] = await run('grep missing a; grep missing a', 'touch made')

  expect(grep?.is_error).toBeUndefined()
  expect(after?.is_error).toBeUndefined()
})

test('an edit by sed that changes under the eyes of the person is not written', async () => {
  const file = join(shell.folder, 'file')
  writeFileSync(file, 'one\n')
  expect((await run(`sed -i 's/one/two/' file`))[0]?.content).toContain('file was changed as previewed.')
  expect(readFileSync(file, 'utf8')).toBe('two\n')
  expect(questions[0]?.preview).toContain('-one\n+two')

  meanwhile = () => writeFileSync(file, 'two and more\n')
  const [refused] = await run(`sed -i 's/two/three/' file`)

  expect(refused).toMatchObject({ is_error: true })
  expect(refused?.content).toContain('file changed after the preview')
  expect(readFileSync(file, 'utf8')).toBe('two and more\n')
  expect(questions).toHaveLength(2)
})

test('where edits are accepted, sed -i inside is one of them, and any other command is still asked about', async () => {
  writeFileSync(join(shell.folder, 'file'), 'one\n')
  runtime.setPermissions({ mode: 'acceptEdits' })

  await run(`sed -i 's/one/two/' file`)
  expect(questions).toEqual([])
  expect(readFileSync(join(shell.folder, 'file'), 'utf8')).toBe('two\n')

  await run(`sed -i 's/two/three/w copy' file`, `sed -i 's/a/b/' file && touch x`, `sed -i 's/a/b/' ../outside`)
  expect(questions).toHaveLength(3)
})

test('the question says what the command may do, and offers the rule that would cover it', async () => {
  await run('mkdir made')

  expect(questions[0]?.message).toContain('it writes files')
  expect(questions[0]?.suggestions).toMatchObject([{ type: 'addRules', rules: ['Bash(mkdir made)'] }])
})
