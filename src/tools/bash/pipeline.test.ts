import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PermissionQuestion } from '../../calls/call-environment.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import { Spill } from '../../results/spill.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { BashTool } from './tool.js'

let shell: TestShell
let runtime: HaftRuntime
let questions: PermissionQuestion[]
/** Called while the permission question is open. */
let runWhileAsked: () => void

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  questions = []
  runWhileAsked = () => {}
  runtime = createToolRuntime({
    tools: [BashTool],
    cwd: shell.folder,
    ports: { shell: shell.port },
    async ask(question) {
      questions.push(question)
      runWhileAsked()
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

test.each([
  ['more characters than are parsed', `cat a ${'b'.repeat(20_000)}`],
  ['too many parts', `true${' | cat'.repeat(600)}`],
  ['too many words', `cat ${Array.from({ length: 700 }, (_, index) => `src/${index}`).join(' ')}`],
  ['too many parts in a script', `bash -c '${'ls;'.repeat(2_000)}'`],
  ['a long here-document that writes a file', `cat > a <<END\n${'a line\n'.repeat(5_000)}END`],
  ['more characters than are searched', `true ${'word '.repeat(300_000)}`],
])('a command with %s is reported as too large, with advice', async (_, command) => {
  const denyingRuntime = createToolRuntime({ tools: [BashTool], cwd: shell.folder, ports: { shell: shell.port } })
  const input = { command }
  const [result] = await denyingRuntime.run([{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input }]).results
  await denyingRuntime.dispose()
  expect(result?.content).toMatch(/the command is too large to be analysed.*: split it into smaller commands/)
})

test('read-only commands run without a question, other commands need one', async () => {
  writeFileSync(join(shell.folder, 'a'), 'text\n')
  expect((await run('cat a'))[0]?.content).toBe('text')
  expect(questions).toEqual([])

  await run('touch b')
  expect(questions).toHaveLength(1)
  expect(existsSync(join(shell.folder, 'b'))).toBe(true)
})

test('the next command starts in the directory where the last command ended', async () => {
  const results = await run('mkdir sub && cd sub', 'pwd')
  expect(results[1]?.content).toBe(join(shell.folder, 'sub'))
  expect((await run('pwd'))[0]?.content).toBe(join(shell.folder, 'sub'))
})

test('a failed command cancels dependent calls but keeps its directory', async () => {
  const [failedResult, nextResult] = await run('mkdir sub && cd sub && false', 'touch made')

  expect(failedResult?.is_error).toBe(true)
  expect(nextResult?.content).toContain('This call was skipped because it may depend on the earlier call Bash')
  expect(runtime.cwd).toBe(join(shell.folder, 'sub'))
  expect(existsSync(join(shell.folder, 'made'))).toBe(false)
})

test('an exit code that reports a result, such as that of grep, cancels nothing', async () => {
  writeFileSync(join(shell.folder, 'a'), 'text\n')
  const [grep, nextResult] = await run('grep missing a; grep missing a', 'touch made')

  expect(grep?.is_error).toBeUndefined()
  expect(nextResult?.is_error).toBeUndefined()
})

test('a sed edit of a file that changes during the question is not written', async () => {
  const file = join(shell.folder, 'file')
  writeFileSync(file, 'one\n')
  expect((await run(`sed -i 's/one/two/' file`))[0]?.content).toContain('file was changed as previewed.')
  expect(readFileSync(file, 'utf8')).toBe('two\n')
  expect(questions[0]?.preview).toContain('-one\n+two')

  runWhileAsked = () => writeFileSync(file, 'two and more\n')
  const [refusedResult] = await run(`sed -i 's/two/three/' file`)

  expect(refusedResult).toMatchObject({ is_error: true })
  expect(refusedResult?.content).toContain('file changed after the preview')
  expect(readFileSync(file, 'utf8')).toBe('two and more\n')
  expect(questions).toHaveLength(2)
})

test('acceptEdits allows sed -i in the project, and other commands still ask', async () => {
  writeFileSync(join(shell.folder, 'file'), 'one\n')
  runtime.setPermissions({ mode: 'acceptEdits' })

  await run(`sed -i 's/one/two/' file`)
  expect(questions).toEqual([])
  expect(readFileSync(join(shell.folder, 'file'), 'utf8')).toBe('two\n')

  await run(`sed -i 's/two/three/w copy' file`, `sed -i 's/a/b/' file && touch x`, `sed -i 's/a/b/' ../outside`)
  expect(questions).toHaveLength(3)
})

test('the question describes the command and offers a matching rule', async () => {
  await run('mkdir made')

  expect(questions[0]?.message).toBe("Bash needs approval: 'mkdir made' writes files, and no rule allows it.")
  expect(questions[0]?.suggestions).toMatchObject([{ type: 'addRules', rules: ['Bash(mkdir:*)'] }])
})
