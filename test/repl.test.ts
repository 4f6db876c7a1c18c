import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readEnvironment } from '../src/assembly/read-environment.js'
import type { PermissionQuestion } from '../src/calls/call-environment.js'
import type { ToolEvent } from '../src/contract/events.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { createFixtureMcpTool } from '../src/testing/fixture-mcp-tool.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

let cwd: string
const runtimes: HaftRuntime[] = []
/** Starting an interpreter is slow, so tests without options of their own share a runtime. */
let shared: ReturnType<typeof open>

function open(options: Partial<ToolRuntimeOptions> = {}) {
  const events: ToolEvent[] = []
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd, machine: { homeDir: cwd } },
    ...options,
    onEvent: (event) => events.push(event),
  })
  runtimes.push(runtime)
  let count = 0
  const repl = async (code: string, more: object = {}, signal?: AbortSignal) => {
    const block = call('REPL', { code, ...more }, `repl-${++count}`)
    const [result] = await runtime.run([block], signal === undefined ? {} : { signal }).results
    return { text: textOf(result), isError: result?.is_error === true, content: result?.content }
  }
  return { runtime, events, repl }
}

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'haft-repl-'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(cwd, `${name}.txt`), `first ${name}\nsecond ${name}\n`)
  shared = open()
})

afterEach(async () => {
  await Promise.all(runtimes.filter((runtime) => runtime !== shared.runtime).map((runtime) => runtime.dispose()))
  runtimes.splice(0)
})

afterAll(async () => {
  await shared.runtime.dispose()
  rmSync(cwd, { recursive: true })
})

describe('code', () => {
  test('returns its last expression and prints, and nothing else reaches the model', async () => {
    const { text } = await shared.repl(`
      const files = await Promise.all(['a', 'b', 'c'].map((name) => tools.Read({ file_path: name + '.txt' })))
      console.log('read', files.length, { first: files[0].firstLine })
      files.map(({ lines }) => lines[0])`)

    expect(text).toBe('read 3 {"first":1}\n["first a","first b","first c"]')
  })

  test('keeps variables, functions and stored values for the next call', async () => {
    await shared.repl('const total = 40; function add(x) { return total + x }; store("k", [1, 2])')

    expect((await shared.repl('const total = 41; add(1) + load("k").length')).text).toBe('44')
    expect((await shared.repl('return total')).text).toBe('41')
  })

  test('loses everything by reset', async () => {
    await shared.repl('const kept = 1; store("k", 1)')

    expect((await shared.repl('typeof kept + load("k")', { reset: true })).text).toBe('undefinedundefined')
  })

  test('shows images', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    writeFileSync(join(cwd, 'dot.png'), Buffer.from(png, 'base64'))

    const { content } = await shared.repl('image(await tools.Read({ file_path: "dot.png" })); "shown"')

    expect(content).toEqual([
      { type: 'text', text: 'shown' },
      { type: 'image', source: expect.objectContaining({ media_type: 'image/png' }) },
    ])
  })

  test('gets the content of a file even if the model has seen it unchanged', async () => {
    await shared.runtime.run([call('Read', { file_path: 'b.txt' })]).results

    expect((await shared.repl('(await tools.Read({ file_path: "b.txt" })).lines[1]')).text).toBe('second b')
  })

  test.each([
    [
      'git status',
      'This is a shell command, not JavaScript. Use Bash, or run it from code: await tools.Bash({ command: "git status" })',
    ],
    ['ls -la', 'await tools.Bash({ command: "ls -la" })'],
    ['./build.sh --all', 'await tools.Bash({ command: "./build.sh --all" })'],
    ['const x: string = "a"', 'The code must be JavaScript, not TypeScript'],
    ['require("fs")', 'Use tools, such as tools.Read'],
    ['await import("node:fs")', 'Modules cannot be imported'],
    ['let a = 1\nnull.b', "TypeError: cannot read property 'b' of null (line 2, column 1)"],
    ['await new Promise(() => {})', 'The code waits for a promise that nothing settles'],
  ])('that cannot run, %j, gets an error that says what to do', async (code, expected) => {
    const { text, isError } = await shared.repl(code)

    expect(isError).toBe(true)
    expect(text).toContain(expected)
  })

  test('that does not await its calls is told so, after they have ended', async () => {
    const { text } = await shared.repl('tools.Read({ file_path: "a.txt" }); "done"')

    expect(text).toBe('done\n[Not awaited: 1 call, whose results are lost. Use await.]')
  })

  test('that prints too much is told how much was dropped', async () => {
    const { text } = await shared.repl('for (let i = 0; i < 30; i++) text("x".repeat(50_000))')

    expect(text).toMatch(/The output was too long: [\d,]+ further characters were dropped/)
  })
})

describe('tools inside', () => {
  test('are listed, searched and described', async () => {
    const { text } = await shared.repl(`
      const all = (await tools.list()).map(({ name }) => name)
      const found = (await tools.search('fetch a web page')).map(({ name }) => name)
      console.log(all.includes('Read'), all.includes('WebFetch'), all.includes('REPL'), found.includes('WebFetch'))
      await tools.describe('Glob')`)

    expect(text.split('\n')[0]).toBe('true true false true')
    expect(text).toContain('tools.Glob(input: {\n  pattern: string //')
    expect(text).toMatch(/Promise<\{\n/)
  })

  test('throw errors with code, message and the way to the declaration', async () => {
    const { text } = await shared.repl(`
      const failures = []
      for (const [name, input] of [['Read', { path: 1 }], ['Raed', {}], ['Read', { file_path: 'missing' }]])
        await tools[name](input).catch((error) => failures.push(error.code, error.message.split('\\n').at(-1)))
      failures`)

    expect(JSON.parse(text)).toEqual([
      'input_invalid',
      'Its declaration: await tools.describe("Read")',
      'unknown_tool',
      'There is no tool "Raed". Did you mean Read?',
      'tool_failed',
      expect.stringContaining('missing'),
    ])
  })

  test('a failed command throws, with its output as data, and later calls still run', async () => {
    const { repl } = open({ permissions: { mode: 'bypassPermissions' } })

    const { text } = await repl(`
      const error = await tools.Bash({ command: 'echo out; exit 3' }).catch((error) => error)
      const { output } = await tools.Bash({ command: 'echo next' })
      ;[error.code, error.data.exitCode, error.data.output.trim(), output.trim()]`)

    expect(JSON.parse(text)).toEqual(['tool_failed', 3, 'out', 'next'])
  })

  test('300 tools of a server are used without loading one of them', async () => {
    const catalogue = Array.from({ length: 300 }, (_, at) => createFixtureMcpTool('office', `tool_${at}`))
    const { repl, runtime } = open({ mcpTools: () => catalogue, permissions: { allow: ['mcp__office'] } })

    const { text } = await repl(`
      const names = (await tools.list()).map(({ name }) => name).filter((name) => name.startsWith('mcp__office'))
      const results = await Promise.all(names.map((name) => tools[name]({ query: 'x' })))
      ;[names.length, results.length, await tools.describe(names[7])]`)

    expect(text).toContain('[300,300,')
    expect(text).toContain('tools.mcp__office__tool_')
    expect((await runtime.definitions()).some(({ name }) => name.startsWith('mcp__office'))).toBe(false)
  })

  test('a directory change by one is the working directory of the next, in the code and after it', async () => {
    const { repl, runtime } = open({ permissions: { mode: 'bypassPermissions' } })
    await repl('await tools.Bash({ command: "mkdir -p sub && cd sub" }); (await tools.Bash({ command: "pwd" })).output')

    const [result] = await runtime.run([call('Bash', { command: 'pwd' })]).results

    expect(textOf(result)).toBe(join(cwd, 'sub'))
  })
})

describe('a nested call', () => {
  test('has its own id and events, with the id of the call of the REPL', async () => {
    const { repl, events } = open()
    await repl('await tools.Read({ file_path: "a.txt" })')

    const nestedEvents = events.filter((event) => 'parentToolUseId' in event)
    expect(nestedEvents.map((event) => [event.type, 'toolUseId' in event && event.toolUseId])).toEqual([
      ['call-queued', 'repl-1.1'],
      ['call-started', 'repl-1.1'],
      ['permission-decided', 'repl-1.1'],
      ['call-ended', 'repl-1.1'],
    ])
    expect(events.at(-1)).toMatchObject({ type: 'call-ended', toolUseId: 'repl-1' })
  })

  test('is asked about, and the time of the code does not pass meanwhile', async () => {
    const questions: PermissionQuestion[] = []
    const { repl } = open({
      async ask(question) {
        questions.push(question)
        // Longer than the code may run.
        await new Promise((resolve) => setTimeout(resolve, 400))
        return { behavior: 'allow' }
      },
    })

    const { text } = await repl(
      'await tools.Write({ file_path: "asked.txt", content: "x" }); await tools.Edit({ file_path: "asked.txt", old_string: "x", new_string: "y" }); "written"',
      { timeout: 300 },
    )

    expect(text).toBe('written')
    expect(questions.map(({ tool, toolUseId }) => [tool.name, toolUseId])).toEqual([
      ['Write', 'repl-1.1'],
      ['Edit', 'repl-1.2'],
    ])
    expect(readFileSync(join(cwd, 'asked.txt'), 'utf8')).toBe('y')
  })

  test('that is denied throws, by the user and by a rule', async () => {
    const { repl } = open({
      permissions: { deny: ['Bash', 'Read(secret.txt)'] },
      ask: async () => ({ behavior: 'deny', message: 'Not now.' }),
    })
    writeFileSync(join(cwd, 'secret.txt'), 'secret')

    const { text } = await repl(`
      const attempt = (promise) => promise.then(() => 'ran', (error) => error.code + ': ' + error.message)
      ;[
        await attempt(tools.Write({ file_path: 'n.txt', content: '' })),
        await attempt(tools.Bash({ command: 'ls' })),
        await attempt(tools.Read({ file_path: 'secret.txt' })),
      ].join('\\n')`)

    expect(text).toMatch(/^permission_denied: .*Not now\./)
    expect(text).toContain('unknown_tool: The tool Bash exists, but it is switched off or denied here.')
    expect(text).toMatch(/permission_denied: .*Read/)
  })

  test('runs hooks, which may change or block it', async () => {
    const seen: unknown[] = []
    const PreToolUse = [
      {
        hooks: [
          {
            type: 'function' as const,
            run: ({ tool_name, tool_use_id, parent_tool_use_id, tool_input }: Record<string, unknown>) => {
              seen.push([tool_name, tool_use_id, parent_tool_use_id])
              if (tool_name === 'Glob') return { decision: 'block', reason: 'No globs.' }
              return tool_name === 'Read' && (tool_input as { file_path: string }).file_path === 'a.txt'
                ? { hookSpecificOutput: { updatedInput: { file_path: 'c.txt' } } }
                : {}
            },
          },
        ],
      },
    ]
    const { repl } = open({ hooks: { PreToolUse } })

    const { text } = await repl(
      'const { lines } = await tools.Read({ file_path: "a.txt" }); [lines[0], await tools.Glob({ pattern: "*" }).catch((error) => error.code)]',
    )

    expect(text).toBe('["first c","hook_blocked"]')
    expect(seen).toEqual([
      ['REPL', 'repl-1', undefined],
      ['Read', 'repl-1.1', 'repl-1'],
      ['Glob', 'repl-1.2', 'repl-1'],
    ])
  })

  test('is cancelled with the call of the REPL, and every call has one result', async () => {
    const { repl, events } = open({ permissions: { mode: 'bypassPermissions' } })
    await repl('const kept = 7')
    const controller = new AbortController()
    const running = repl(
      'console.log("so far"); await Promise.all([tools.Bash({ command: "echo started; sleep 100" }), tools.Bash({ command: "sleep 101" })])',
      {},
      controller.signal,
    )
    await expect.poll(() => events.filter(({ type }) => type === 'call-progressed').length).toBeGreaterThan(0)

    controller.abort()

    expect(await running).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Its output until then:\n\nso far$/),
    })
    const endedIds = events.flatMap((event) => (event.type === 'call-ended' ? [event.toolUseId] : []))
    expect(endedIds.toSorted()).toEqual(['repl-1', 'repl-2', 'repl-2.1', 'repl-2.2'])
    expect(endedIds.at(-1)).toBe('repl-2')
    expect((await repl('kept')).text).toBe('7')
  })

  test('is checkpointed and can be asked for by its own id', async () => {
    const checkpoints: string[] = []
    const { repl } = open({
      permissions: { mode: 'acceptEdits' },
      ports: { checkpoints: { save: async (id) => void checkpoints.push(id), settle: async () => {} } },
    })

    await repl('await tools.Write({ file_path: "new.txt", content: "1" })')

    expect(checkpoints).toEqual(['repl-1.1'])
  })

  test('needs no approval for the code itself in plan mode, but changes nothing there', async () => {
    const { repl } = open({ permissions: { mode: 'plan' } })

    const { text } = await repl(`
      const { lines } = await tools.Read({ file_path: 'a.txt' })
      ;[lines.length, await tools.Write({ file_path: 'p.txt', content: '' }).catch((error) => error.code)]`)

    expect(text).toBe('[2,"permission_denied"]')
  })
})

describe('REPL mode with the real tools', () => {
  const flags = readEnvironment({ HAFT_REPL_MODE: '1' }, 'linux').environment

  test('the model gets the REPL and not the primitives, which code can call', async () => {
    const { runtime, repl } = open({ machine: { flags, homeDir: cwd } })
    const names = runtime.pool.map(({ name }) => name)

    expect(names).toContain('REPL')
    for (const hidden of ['Bash', 'Read', 'Edit', 'Write', 'Glob', 'Grep']) expect(names).not.toContain(hidden)
    expect((await repl('(await tools.Read({ file_path: "a.txt" })).lines.length')).text).toBe('2')
    const [direct] = await runtime.run([call('Read', { file_path: 'a.txt' })]).results
    expect(direct?.is_error).toBe(true)
    const definition = (await runtime.definitions()).find(({ name }) => name === 'REPL')
    expect(definition?.description).toContain('only available as functions in this code')
  })

  test('a sub-agent whose kind names only primitives gets the REPL, and code can call only those', async () => {
    const { runtime } = open({ machine: { flags, homeDir: cwd } })
    const agent = runtime.fork({ tools: ['Read', 'Grep'] })

    expect(agent.pool.map(({ name }) => name)).toEqual(['REPL'])
    const [result] = await agent.run([call('REPL', { code: '(await tools.list()).map(({ name }) => name)' })]).results
    expect(textOf(result)).toBe('["Grep","Read"]')
    await agent.dispose()
  })

  test('in simple mode, the REPL takes the place of Bash, Read and Edit', () => {
    const simpleFlags = readEnvironment({ HAFT_REPL_MODE: '1', HAFT_SIMPLE: '1' }, 'linux').environment
    const { runtime } = open({ machine: { flags: simpleFlags, homeDir: cwd } })
    expect(runtime.pool.map(({ name }) => name)).toEqual(['REPL'])
  })

  test('without REPL mode, the REPL stands beside the primitives', () => {
    const names = shared.runtime.pool.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['REPL', 'Bash', 'Read']))
  })
})
