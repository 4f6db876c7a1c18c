import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HookReported, ToolEvent } from '../src/contract/events.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HookSettings } from '../src/runtime/hooks/hook-settings.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { createFixtureMcpTool } from '../src/testing/fixture-mcp-tool.js'
import { call, createDeferred, Echo, textOf } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-hooks-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const SendTool = createFixtureMcpTool('slack', 'send')
const PERMISSIONS = { allow: ['Echo', 'mcp__slack'] }

function createRuntimeWith(hooks: unknown, options: Partial<ToolRuntimeOptions> = {}) {
  return createToolRuntime({
    tools: [Echo],
    mcpTools: () => [SendTool],
    permissions: PERMISSIONS,
    cwd: folder,
    // Also invalid hooks, as a program without types could pass them.
    hooks: hooks as HookSettings,
    ...options,
  })
}

const replaceOutputWith = (value: unknown) => ({
  PostToolUse: [{ hooks: [{ type: 'function', run: () => ({ hookSpecificOutput: { updatedToolOutput: value } }) }] }],
})

describe('a hook that replaces the output', () => {
  test('works for built-in tools and MCP tools alike', async () => {
    const runtime = createRuntimeWith(replaceOutputWith('[withheld]'))

    const results = await runtime.run([call('Echo', { text: 'secret' }), call('mcp__slack__send', { query: 'secret' })])
      .results

    expect(results.map(textOf)).toEqual(['[withheld]', '[withheld]'])
  })

  test('with a value that does not match the schema withholds the result', async () => {
    const runtime = createRuntimeWith(replaceOutputWith({ not: 'a string' }))

    const [result] = await runtime.run([call('Echo', { text: 'secret' })]).results

    expect(result?.is_error).toBe(true)
    expect(textOf(result)).toMatch(/does not match its schema, so the output is withheld/)
    expect(textOf(result)).not.toMatch(/secret/)
  })
})

/** The processes of this test, found by the name of its folder in their command lines. */
function findProcesses(): readonly string[] {
  const list = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
  return list.filter((line) => line.includes(folder) && !line.includes('ps -eo'))
}

async function writeScript(name: string, source: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, source)
  return `${JSON.stringify(process.execPath)} ${JSON.stringify(path)}`
}

function createCommandHook(command: string, fields: object = {}) {
  return { PreToolUse: [{ hooks: [{ type: 'command', command, ...fields }] }] }
}

async function runWithHooks(hooks: unknown) {
  const reports: HookReported[] = []
  const onEvent = (event: ToolEvent) => {
    if (event.type === 'hook-reported') reports.push(event)
  }
  const runtime = createRuntimeWith(hooks, { onEvent })
  const [result] = await runtime.run([call('Echo', { text: 'done' })]).results
  await runtime.dispose()
  return { result: textOf(result), outcomes: reports.map(({ outcome }) => outcome) }
}

describe('a command hook', () => {
  test('that hangs together with its child is killed at its time limit, and so is the child', async () => {
    const hangingScript = await writeScript(
      'hang.mjs',
      `import { spawn } from 'node:child_process'
       process.on('SIGTERM', () => {})
       spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6) // ${folder}'], { stdio: 'inherit' })
       setInterval(() => {}, 1e6)`,
    )

    const { result, outcomes } = await runWithHooks(createCommandHook(hangingScript, { timeout: 0.5 }))

    expect([result, outcomes]).toEqual(['done', ['timed-out']])
    expect(findProcesses()).toEqual([])
  })

  test('that crashes is reported to the user, and the call continues', async () => {
    const crashingScript = await writeScript('crash.mjs', `process.kill(process.pid, 'SIGSEGV')`)

    const { result, outcomes } = await runWithHooks(createCommandHook(crashingScript))

    expect([result, outcomes]).toEqual(['done', ['failed']])
  })

  test('that floods its output does not stop the call and leaves no process', async () => {
    const floodingScript = await writeScript(
      'flood.mjs',
      `const chunk = 'x'.repeat(1 << 20); for (let i = 0; i < 64; i++) process.stdout.write(chunk)`,
    )

    const { result } = await runWithHooks(createCommandHook(floodingScript))

    expect(result).toBe('done')
    expect(findProcesses()).toEqual([])
  })

  test.each(['{"decision": ', '[1, 2, 3]', '{"hookSpecificOutput": "no"}', '\u0000\u0001', 'null'])(
    'that answers %j decides nothing',
    async (answer) => {
      const invalidOutput = await writeScript('rubbish.mjs', `process.stdout.write(${JSON.stringify(answer)})`)

      const { result } = await runWithHooks(createCommandHook(invalidOutput))

      expect(result).toBe('done')
    },
  )

  test('that exits with code 2 blocks the call, whatever the other hooks do', async () => {
    const blockingScript = await writeScript('block.mjs', `console.error('not today'); process.exit(2)`)
    const crashingScript = await writeScript('crash.mjs', `process.exit(70)`)
    const hooks = [blockingScript, crashingScript].map((command) => ({ type: 'command', command }))

    const { result, outcomes } = await runWithHooks({ PreToolUse: [{ hooks }] })

    expect(result).toMatch(/not today/)
    expect(outcomes).toEqual(['blocked', 'failed'])
  })

  test('that is running when the runtime is disposed of is ended', async () => {
    const startedFile = join(folder, 'begun')
    const hangingScript = await writeScript(
      'hang.mjs',
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(startedFile)}, ''); setInterval(() => {}, 1e6)`,
    )
    const startedSignal = createDeferred()
    const runtime = createRuntimeWith(
      { ...createCommandHook(hangingScript), PostToolUse: [] },
      { onEvent: (event) => event.type === 'call-started' && startedSignal.resolve() },
    )
    const run = runtime.run([call('Echo')])
    await startedSignal.promise
    while ((await readFile(startedFile).catch(() => undefined)) === undefined)
      await new Promise((next) => setImmediate(next))

    await runtime.dispose()

    expect(findProcesses()).toEqual([])
    expect((await run.results)[0]?.is_error).toBe(true)
  })

  test('that runs in the background reports when it ends, and is awaited no longer than its time limit', async () => {
    const quickScript = await writeScript('quick.mjs', 'process.exit(3)')
    const hangingScript = await writeScript('hang.mjs', 'setInterval(() => {}, 1e6)')
    const reportedEvent = createDeferred<ToolEvent>()
    const hooks = [
      { type: 'command', command: quickScript, async: true },
      { type: 'command', command: hangingScript, async: true, timeout: 1 },
    ]
    const onEvent = (event: ToolEvent) => {
      if (event.type === 'hook-reported' && event.hook.includes('quick.mjs')) reportedEvent.resolve(event)
    }
    const runtime = createRuntimeWith({ PreToolUse: [{ hooks }] }, { onEvent })

    const [result] = await runtime.run([call('Echo', { text: 'at once' }, 'toolu_9')]).results
    const report = await reportedEvent.promise
    await runtime.dispose()

    expect(textOf(result)).toBe('at once')
    expect(report).toMatchObject({ toolUseId: 'toolu_9', hookEvent: 'PreToolUse', outcome: 'failed' })
    expect(findProcesses()).toEqual([])
  })
})

test('hooks receive the working directory and the mode of the calling agent', async () => {
  const receivedInputs: unknown[] = []
  const run = ({ cwd, permission_mode, session_id }: Record<string, unknown>) => {
    receivedInputs.push([cwd, permission_mode, session_id])
  }
  const runtime = createRuntimeWith(
    { PreToolUse: [{ hooks: [{ type: 'function', run }] }] },
    { conversation: { sessionId: 'session-1' } },
  )
  const sub = runtime.fork({ cwd: '/' })
  await sub.applyUpdates([{ type: 'setMode', destination: 'session', mode: 'acceptEdits' }])

  await runtime.run([call('Echo')]).results
  await sub.run([call('Echo')]).results

  expect(receivedInputs).toEqual([
    [folder, 'default', 'session-1'],
    ['/', 'acceptEdits', 'session-1'],
  ])
})

test('if hooks of several sources change the input, the last source wins, and an invalid source is reported', async () => {
  const problems: string[] = []
  const changeInputTo = (text: string) => ({
    PreToolUse: [{ hooks: [{ type: 'function', run: () => ({ hookSpecificOutput: { updatedInput: { text } } }) }] }],
  })
  const runtime = createRuntimeWith([changeInputTo('project'), { Nonsense: [] }, changeInputTo('user')], {
    onProblem: (problem) => problems.push(String(problem)),
  })

  const [result] = await runtime.run([call('Echo', { text: 'model' })]).results

  expect(textOf(result)).toBe('user\n\n[A hook changed the input of this call: text is now "user".]')
  expect(problems).toEqual([expect.stringMatching(/^hooks\.Nonsense: is not a hook event/)])
})
