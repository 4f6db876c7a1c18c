import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'
import { textOf } from './runtime-fixtures.js'

/** Runs one message with the real shell: a string is a command, and `write` names a file to write. */
async function runMessage(calls: readonly (string | { readonly write: string })[], denyRules: readonly string[] = []) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-skipped-')))
  writeFileSync(join(folder, 'present'), 'here')
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd: folder,
    permissions: { allow: ['Bash', 'Write'], deny: denyRules },
  })
  onTestFinished(async () => {
    await runtime.dispose()
    rmSync(folder, { recursive: true, force: true })
  })
  const blocks = calls.map((call, at) => ({
    ...({ type: 'tool_use', id: `call-${at}` } as const),
    ...(typeof call === 'string'
      ? { name: 'Bash', input: { command: call } }
      : { name: 'Write', input: { file_path: join(folder, call.write), content: 'x' } }),
  }))
  const results = await runtime.run(blocks).results
  expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(blocks.map(({ id }) => id))
  return {
    folder,
    texts: results.map(textOf),
    states: results.map((result) =>
      textOf(result).includes('This call was skipped') ? 'skipped' : result.is_error === true ? 'failed' : 'ok',
    ),
  }
}

test('tests, a linter and a type checker that fail in one message all run', async () => {
  const { states } = await runMessage([
    'make test',
    'make lint',
    'make typecheck 2>&1',
    'cat present',
    { write: 'new' },
  ])

  expect(states).toEqual(['failed', 'failed', 'failed', 'ok', 'ok'])
})

test('a command that changes something is skipped after a failed check', async () => {
  const { states, texts, folder } = await runMessage(['make test', 'touch released', 'git commit -m x'])

  expect(states).toEqual(['failed', 'skipped', 'skipped'])
  expect(texts[1]).toContain('the earlier call Bash "make test" (call-0), which failed')
  expect(existsSync(join(folder, 'released'))).toBe(false)
})

test('after a failed command with known effects, only calls that depend on those effects are skipped', async () => {
  const { states, texts, folder } = await runMessage([
    ...['mkdir missing/a', 'touch missing/a/b', 'cat present', 'touch other', 'cp missing/a/b copy', 'cat copy'],
    { write: 'new' },
  ])

  expect(states).toEqual(['failed', 'skipped', 'ok', 'ok', 'skipped', 'skipped', 'ok'])
  expect(texts[1]).toContain(`this call uses ${folder}/missing/a/b, which that call should have changed`)
  expect(texts[5]).toContain(
    'Bash "cp missing/a/b copy" (call-4), which was skipped because Bash "mkdir missing/a" (call-0) failed',
  )
  expect(existsSync(join(folder, 'other'))).toBe(true)
})

test('after a cd that failed, every command and every call with a relative path is skipped', async () => {
  const { states } = await runMessage(['cd missing', 'cat present', 'touch x', { write: 'new' }])

  expect(states).toEqual(['failed', 'skipped', 'skipped', 'ok'])
})

test('a call that depends on a denied command is skipped and says so, and independent calls run', async () => {
  const { states, texts } = await runMessage(['mkdir a', 'touch a/b', 'cat present', 'touch c'], ['Bash(mkdir:*)'])

  expect(states).toEqual(['failed', 'skipped', 'ok', 'ok'])
  expect(texts[1]).toContain('Bash "mkdir a" (call-0), which was denied')
})
