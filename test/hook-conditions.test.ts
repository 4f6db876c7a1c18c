import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ToolUseBlock } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'
import { createTemporaryFolder } from './agent-fixture.js'

/** Whether a hook with this `if` condition runs before the call. */
async function runsHook(condition: string, name: string, input: object, cwd: string): Promise<boolean> {
  let wasRun = false
  const run = () => {
    wasRun = true
    return { decision: 'block', reason: 'seen' }
  }
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd,
    hooks: { PreToolUse: [{ if: condition, hooks: [{ type: 'function', run }] }] },
  })
  onTestFinished(() => runtime.dispose())
  await runtime.definitions()
  const block: ToolUseBlock = { type: 'tool_use', id: 'a', name, input }
  await runtime.run([block]).results
  return wasRun
}

async function createProject(): Promise<string> {
  const cwd = await createTemporaryFolder()
  await mkdir(join(cwd, 'sub'))
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt']) await writeFile(join(cwd, name), name)
  await symlink('b.txt', join(cwd, 'link'))
  await symlink('sub', join(cwd, 'folder'))
  return cwd
}

const read = (file_path: string) => ['Read', { file_path }] as const
const write = (file_path: string) => ['Write', { file_path, content: 'x' }] as const
const createPatch = (path: string) =>
  ['ApplyPatch', { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-x\n+y\n*** End Patch` }] as const

test.each([
  ['Read(b.txt)', ...read('CWD/a.txt')],
  ['Read(/b.txt)', ...read('CWD/a.txt')],
  ['Read(/CWD/b.txt)', ...read('CWD/a.txt')],
  ['Read(~/b.txt)', ...read('CWD/b.txt')],
  ['Read(sub/**)', ...read('CWD/a.txt')],
  ['Edit(b.txt)', ...write('CWD/a.txt')],
  ['Edit(b.txt)', ...read('CWD/b.txt')],
  ['Write(b.txt)', ...write('CWD/a.txt')],
  ['Edit(b.txt)', ...createPatch('CWD/a.txt')],
  ['Grep(b.txt)', 'Grep', { pattern: 'x', path: 'CWD/a.txt' }],
  ['Glob(/b.txt)', 'Glob', { pattern: '*', path: 'CWD/sub' }],
])('a hook with the condition %s does not run for %s %j', async (condition, name, input) => {
  const cwd = await createProject()
  expect(await runsHook(insertCwd(cwd, condition), name, JSON.parse(insertCwd(cwd, JSON.stringify(input))), cwd)).toBe(
    false,
  )
})

test.each([
  ['Read(b.txt)', ...read('CWD/b.txt')],
  ['Read(/b.txt)', ...read('CWD/b.txt')],
  ['Read(/CWD/b.txt)', ...read('CWD/b.txt')],
  ['Read(b.txt)', ...read('b.txt')],
  ['Read(b.txt)', ...read('CWD/sub/../b.txt')],
  ['Read(b.txt)', ...read('CWD//./b.txt')],
  ['Read(b.txt)', ...read('CWD/link')],
  ['Read(link)', ...read('CWD/b.txt')],
  ['Read(sub/**)', ...read('CWD/folder/c.txt')],
  ['Read(folder/**)', ...read('CWD/sub/c.txt')],
  ['Read(/b.txt)', ...read('CWD/folder/../b.txt')],
  ['Edit(b.txt)', ...write('CWD/link')],
  ['Edit(new/**)', ...write('CWD/new/file')],
  ['Write(b.txt)', ...write('CWD/b.txt')],
  ['Edit(b.txt)', ...createPatch('CWD/b.txt')],
  ['Read(b.txt)', 'Grep', { pattern: 'x' }],
  ['Read(b.txt)', 'Glob', { pattern: '*' }],
  ['Read(!b.txt)', ...read('CWD/a.txt')],
])('a hook with the condition %s runs for %s %j', async (condition, name, input) => {
  const cwd = await createProject()
  expect(await runsHook(insertCwd(cwd, condition), name, JSON.parse(insertCwd(cwd, JSON.stringify(input))), cwd)).toBe(
    true,
  )
})

function insertCwd(cwd: string, text: string): string {
  return text.replaceAll('CWD', cwd)
}
