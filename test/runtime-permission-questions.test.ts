import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ToolEvent } from '../src/contract/events.js'
import { buildTool } from '../src/contract/tool/build-tool.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { loadSettings } from '../src/settings/load-settings.js'
import { savePermissionUpdates } from '../src/settings/save/save-permission-updates.js'
import { call, createDeferred, Echo, Read, textOf, Write } from './runtime-fixtures.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-permissions-')))
  await writeFile(join(folder, 'file'), 'text')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('questions', () => {
  test('of all agents are asked one at a time, and all are answered', async () => {
    let openQuestions = 0
    let maxOpenQuestions = 0
    const runtime = createToolRuntime({
      tools: [Echo],
      ask: async () => {
        maxOpenQuestions = Math.max(maxOpenQuestions, ++openQuestions)
        await new Promise(setImmediate)
        openQuestions--
        return { behavior: 'allow' }
      },
    })
    const agents = [runtime, runtime.fork(), runtime.fork()]
    const results = await Promise.all(
      agents.map((agent, index) => agent.run([call('Echo', { text: `from ${index}` })]).results),
    )

    expect(results.map(([result]) => textOf(result))).toEqual(['from 0', 'from 1', 'from 2'])
    expect(maxOpenQuestions).toBe(1)
  })

  test('from tools and for permissions are also asked one at a time', async () => {
    let openCount = 0
    let maxOpenCount = 0
    const countAndAnswer = async <T>(answer: T): Promise<T> => {
      maxOpenCount = Math.max(maxOpenCount, ++openCount)
      await new Promise(setImmediate)
      openCount--
      return answer
    }
    const AskUser = buildTool({
      name: 'AskUser',
      description: 'Asks something',
      inputSchema: z.object({}),
      needs: ['ask'],
      isReadOnly: () => true,
      isConcurrencySafe: () => true,
      call: async (_, { ask, signal }) => ({ data: String(await ask.askQuestions([], { signal })) }),
    })
    const runtime = createToolRuntime({
      tools: [Echo, AskUser],
      permissions: { allow: ['AskUser'] },
      ask: () => countAndAnswer({ behavior: 'allow' }),
      ports: {
        ask: {
          canAsk: true,
          askQuestions: () => countAndAnswer([]),
          handleElicitation: () => countAndAnswer({ action: 'decline' as const }),
        },
      },
    })

    const agents = [runtime, runtime.fork()]
    const results = await Promise.all(
      agents.map((agent) => agent.run([call('AskUser'), call('Echo', { text: 'x' })]).results),
    )

    expect(results.flat().filter(({ is_error }) => is_error)).toEqual([])
    expect(maxOpenCount).toBe(1)
  })

  test('of waiting agents are not asked if the answer to an earlier question adds a rule that covers them', async () => {
    const askedCalls: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      cwd: folder,
      async ask({ toolUseId, suggestions }) {
        askedCalls.push(toolUseId)
        return {
          behavior: 'allow',
          updates: suggestions.map((update) => ({ ...update, destination: 'session' as const })),
        }
      },
    })
    const agents = [runtime, runtime.fork(), runtime.fork()]
    const results = await Promise.all(
      agents.map((agent, index) => agent.run([call('Echo', { text: `from ${index}` }, `ask ${index}`)]).results),
    )

    expect(results.map(([result]) => textOf(result))).toEqual(['from 0', 'from 1', 'from 2'])
    expect(askedCalls).toEqual(['ask 0'])
  })

  test('are asked one at a time in call order, while other calls continue', async () => {
    const askedCalls: string[] = []
    const answers = [createDeferred(), createDeferred()]
    const endedIds: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo, Read],
      cwd: folder,
      onEvent: (event) => {
        if (event.type === 'call-ended') endedIds.push(event.toolUseId)
      },
      async ask({ toolUseId }) {
        askedCalls.push(toolUseId)
        await answers[askedCalls.length - 1]?.promise
        return { behavior: 'allow' }
      },
      scheduling: { rule: 'base', maxConcurrency: 10 },
    })
    const outsideInput = { path: join(dirname(folder), 'absent') }
    const run = runtime.run([
      call('Read', outsideInput, 'a'),
      call('Read', { path: 'file' }, 'b'),
      call('Read', outsideInput, 'c'),
    ])
    for await (const event of run) if (event.type === 'call-ended') break

    const callsAskedWhileFirstIsOpen = [...askedCalls]
    answers[0]?.resolve()
    answers[1]?.resolve()
    await run.results

    expect(callsAskedWhileFirstIsOpen).toEqual(['a'])
    expect(askedCalls).toEqual(['a', 'c'])
    expect(endedIds[0]).toBe('b')
  })

  test('become denials that name the rule if there is no user to ask', async () => {
    const runtime = createToolRuntime({ tools: [Echo, Write], cwd: folder })
    const events: ToolEvent[] = []
    const run = runtime.run([call('Echo'), call('Write', { path: 'file', text: '' })])
    for await (const event of run) events.push(event)

    const [echo, write] = await run.results

    expect(textOf(echo)).toMatch(/There is no user to ask\. To allow it, add "Echo" to permissions\.allow/)
    expect(textOf(write)).toMatch(/add "(Edit|Write)\(.*file\)" to permissions\.allow/)
    expect(events.flatMap((event) => (event.type === 'call-ended' ? [event.errorCode] : []))).toEqual([
      'permission_needed',
      'permission_needed',
    ])
  })

  test('are not asked again, in calls of any agent, after an answer that was written to the settings file', async () => {
    const askedCalls: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      cwd: folder,
      async ask({ toolUseId, suggestions }) {
        askedCalls.push(toolUseId)
        return { behavior: 'allow', updates: suggestions }
      },
      policy: {
        saveUpdates: (updates) => savePermissionUpdates(updates, { projectRoot: folder, home: join(folder, 'home') }),
      },
    })
    const sub = runtime.fork()

    await sub.run([call('Echo', {}, 'first')]).results
    await sub.run([call('Echo', {}, 'second')]).results
    await runtime.run([call('Echo', {}, 'third')]).results

    expect(askedCalls).toEqual(['first'])
    expect(JSON.parse(await readFile(join(folder, '.haft/settings.local.json'), 'utf8'))).toEqual({
      permissions: { allow: ['Echo'] },
    })
    const home = join(folder, 'home')
    const loadedSettings = await loadSettings({
      cwd: folder,
      home,
      isTrusted: () => true,
      policyPath: join(folder, 'none'),
    })
    expect(loadedSettings.permissionContext.alwaysAllowRules).toEqual({ localSettings: ['Echo'] })
  })

  test('are not asked again in the session even if the answer cannot be saved, which is reported', async () => {
    const problems: string[] = []
    const askedCalls: string[] = []
    const runtime = createToolRuntime({
      tools: [Echo],
      onProblem: (problem) => problems.push(String(problem)),
      async ask({ toolUseId, suggestions }) {
        askedCalls.push(toolUseId)
        return { behavior: 'allow', updates: suggestions }
      },
      policy: { saveUpdates: () => Promise.reject(new Error('disk full')) },
    })

    const first = await runtime.run([call('Echo', { text: 'one' }, 'a')]).results
    const second = await runtime.run([call('Echo', { text: 'two' }, 'b')]).results

    expect([textOf(first[0]), textOf(second[0]), askedCalls]).toEqual(['one', 'two', ['a']])
    expect(problems).toEqual(['Permission updates were not saved: disk full'])
  })
})
