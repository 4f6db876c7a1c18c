import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Spill } from '../src/results/spill.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import { ScriptWalker } from '../src/shell/walk/script-walker.js'
import { openTestShell, type TestShell } from '../src/testing/test-shell.js'
import { BashTool } from '../src/tools/bash/tool.js'

/** Every analysis starts with one walk at depth 0. */
const walkSpy = vi.spyOn(ScriptWalker.prototype, 'walkText')
const listAnalyses = () =>
  walkSpy.mock.calls.filter(([, { depth }]) => depth === 0).map(([text, { folders }]) => ({ text, cwd: folders?.[0] }))
const listAnalysedTexts = () => listAnalyses().map(({ text }) => text)

let shell: TestShell
let runtime: HaftRuntime

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
  walkSpy.mockClear()
})
afterEach(async () => {
  await runtime.dispose()
  await shell.close()
})

async function run(commands: readonly string[], options: Partial<Parameters<typeof createToolRuntime>[0]> = {}) {
  runtime = createToolRuntime({
    ...{ tools: [BashTool], cwd: shell.folder, ports: { shell: shell.port } },
    ask: async () => ({ behavior: 'allow' }),
    ...options,
  })
  const calls = commands.map((command, index) => ({
    ...{ type: 'tool_use' as const, id: `call_${index}`, name: 'Bash', input: { command } },
  }))
  return (await runtime.run(calls).results).map(({ content }) => content)
}

describe('a Bash call through the whole runtime', () => {
  test.each(['echo read-only', 'touch x', 'mkdir sub && cd sub', 'make $TARGET || true', "sed -i 's/a/b/' missing"])(
    'analyses its command once: %s',
    async (command) => {
      await run([command])
      expect(listAnalysedTexts()).toEqual([command])
    },
  )

  test('analyses its command once with rules, hooks, conditions and checkpoints', async () => {
    const hook = { type: 'function', name: 'see', if: 'Bash(git push:*)', run: () => {} }
    await run(['touch x'], {
      permissions: { allow: ['Bash(touch:*)'], deny: ['Bash(rm:*)', 'Edit(.env)'] },
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook as never] }] },
    })
    expect(listAnalysedTexts()).toEqual(['touch x'])
  })

  test('analyses a git command once more, with the configuration of its repository', async () => {
    await run(['git --version', 'git status'])
    expect(listAnalysedTexts().toSorted()).toEqual(['git --version', 'git status', 'git status'])
  })

  test('analyses a command again if an earlier call has changed the folder', async () => {
    const results = await run(['mkdir sub; cd sub', 'pwd'])
    expect(results[1]).toContain(join(shell.folder, 'sub'))
    expect(listAnalyses()).toEqual([
      { text: 'mkdir sub; cd sub', cwd: shell.folder },
      { text: 'pwd', cwd: shell.folder },
      { text: 'pwd', cwd: join(shell.folder, 'sub') },
    ])
  })
})

describe('nothing outside src/shell parses commands', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(name) && !/^(?:shell|testing)\/|\/fixture-/.test(name),
    )
    .map((name) => ({ path: join('src', name), text: readFileSync(join('src', name), 'utf8') }))
  const findFilesContaining = (pattern: RegExp) =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

  test('the analyser is used in one step, and by Bash when a host calls it outside the pipeline', () => {
    expect(findFilesContaining(/\banalyseCommand\b/).toSorted()).toEqual([
      'src/calls/steps/analyse-command.ts',
      'src/tools/commands/bash-options.ts',
    ])
    expect(findFilesContaining(/['"]unbash['"]/)).toEqual([])
  })

  test('no other code reads the command of an input by its name', () => {
    expect(findFilesContaining(/\binput\??\.command\b|input\['command'\]/).toSorted()).toEqual([
      'src/tools/bash/tool.ts',
      'src/tools/commands/command-output.ts',
      'src/tools/commands/run-command.ts',
      'src/tools/monitor/tool.ts',
      'src/tools/terminal/terminal-input.ts',
    ])
  })

  test('ports and steps match no pattern against the text of a command', () => {
    const matchesCommand = /\.test\((?:\w+\.)?command(?:\.text)?\)|\bcommand(?:\.text)?\.(?:match|split|search)\(/
    expect(
      findFilesContaining(matchesCommand).filter((path) => /^src\/(?:calls|hooks|ports|runtime)\//.test(path)),
    ).toEqual([])
    expect(matchesCommand.test('/trap/.test(command)')).toBe(true)
  })
})
