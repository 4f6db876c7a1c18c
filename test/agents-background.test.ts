import { describe, expect, test } from 'vitest'
import type { HookFunction } from '../src/hooks/config/hook-config.js'
import { toModelMessages } from '../src/session/messages/to-model-messages.js'
import { listResults, startAgents } from './agent-fixture.js'
import { call, createDeferred, textOf } from './runtime-fixtures.js'

const TASK_TOOLS = ['TaskOutput', 'TaskStop']

/** A hook that records its input in `payloads` and returns an answer. */
function createRecordingHook(payloads: unknown[], answer: () => unknown = () => undefined) {
  const run: HookFunction = async (payload) => {
    payloads.push(payload)
    return answer() as Awaited<ReturnType<HookFunction>>
  }
  return [{ hooks: [{ type: 'function' as const, run }] }]
}

describe('a background agent', () => {
  test('returns immediately, can be read after it has ended, and its end is announced to the conversation', async () => {
    const releaseSignal = createDeferred()
    const { runAgent, runtime, notices } = await startAgents({
      scripts: {
        'Take long': [
          async () => {
            await releaseSignal.promise
            return 'The long answer.'
          },
        ],
      },
    })
    runtime.load(TASK_TOOLS)

    const { text } = await runAgent({ description: 'long work', prompt: 'Take long', run_in_background: true })
    const [earlyOutput] = await runtime.run([call('TaskOutput', { task_id: 'agent-1', block: false })]).results
    const pendingOutput = runtime.run([call('TaskOutput', { task_id: 'agent-1', timeout: 600_000 })]).results
    releaseSignal.resolve()
    const [lateOutput] = await pendingOutput

    expect(text).toContain('is working in the background as task agent-1')
    expect(textOf(earlyOutput)).toContain('Task status: running.')
    expect(textOf(lateOutput)).toBe('The long answer.\n\nTask status: completed.')
    const [announcement] = toModelMessages(notices.take())
    expect(JSON.stringify(announcement?.content)).toContain(
      'The background task agent-1 has ended: completed. Its description: long work\\nIts result:\\nThe long answer.',
    )
    expect(notices.take()).toEqual([])
  })

  test('is stopped by TaskStop together with its calls', async () => {
    const startedSignal = createDeferred()
    const { runAgent, runtime, requests } = await startAgents({
      permissions: { allow: ['Bash'] },
      scripts: { 'Sleep on': [{ calls: [{ name: 'Bash', input: { command: 'sleep 300' } }] }, 'Never.'] },
      onEvent: (event, { agentId }) => {
        if (agentId !== undefined && event.type === 'call-started') startedSignal.resolve()
      },
    })
    runtime.load(TASK_TOOLS)
    await runAgent({ prompt: 'Sleep on', run_in_background: true })
    await startedSignal.promise

    const [stopResult] = await runtime.run([call('TaskStop', { task_id: 'agent-1' })]).results
    const [output] = await runtime.run([call('TaskOutput', { task_id: 'agent-1' })]).results

    expect(textOf(stopResult)).toContain('was stopped')
    expect(textOf(output)).toContain('Task status: stopped')
    expect(requests).toHaveLength(1)
  })

  test('reports why it failed', async () => {
    const { runAgent, runtime } = await startAgents({
      scripts: { 'Try it': [{ error: { kind: 'unauthorised', message: 'The key is not accepted.' } }] },
    })
    runtime.load(TASK_TOOLS)
    await runAgent({ prompt: 'Try it', run_in_background: true })

    const [output] = await runtime.run([call('TaskOutput', { task_id: 'agent-1' })]).results

    expect(textOf(output)).toMatch(/The key is not accepted.*\n\nTask status: failed/)
  })

  test('is stopped when the runtime is disposed of', async () => {
    const startedSignal = createDeferred()
    const { runAgent, runtime, notices, requests } = await startAgents({
      scripts: {
        'Hang on': [
          async () => {
            startedSignal.resolve()
            await new Promise(() => {})
            return ''
          },
        ],
      },
    })
    await runAgent({ prompt: 'Hang on', run_in_background: true })
    await startedSignal.promise

    await runtime.dispose()

    expect(JSON.stringify(notices.take())).toContain('has ended: stopped')
    expect(requests).toHaveLength(1)
  })

  test('does not ask its model again if the runtime ends during a call', async () => {
    const startedSignal = createDeferred()
    const { runAgent, runtime, requests } = await startAgents({
      permissions: { allow: ['Bash'] },
      scripts: { 'Sleep on': [{ calls: [{ name: 'Bash', input: { command: 'sleep 300' } }] }, 'Never.'] },
      onEvent: (event, { agentId }) => {
        if (agentId !== undefined && event.type === 'call-started') startedSignal.resolve()
      },
    })
    await runAgent({ prompt: 'Sleep on', run_in_background: true })
    await startedSignal.promise

    await runtime.dispose()

    expect(requests).toHaveLength(1)
  })

  test('continues after the agent that started it has ended', async () => {
    const releaseSignal = createDeferred()
    const { runAgent, runtime, requests } = await startAgents({
      scripts: {
        'Start one': [
          { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'Go on', run_in_background: true } }] },
          'Started.',
        ],
        'Go on': [
          async () => {
            await releaseSignal.promise
            return { calls: [{ name: 'Glob', input: { pattern: '*' } }] }
          },
          'Went on.',
        ],
      },
    })
    runtime.load(TASK_TOOLS)

    expect((await runAgent({ prompt: 'Start one' })).text).toMatch(/^Started\./)
    releaseSignal.resolve()
    const [output] = await runtime.run([call('TaskOutput', { task_id: 'agent-1' })]).results

    expect(textOf(output)).toMatch(/^Went on\./)
    expect(listResults(requests.at(-1) as never)[0]).not.toContain('shut down')
  })

  test('waits for a free slot when the maximum number of agents is running', async () => {
    const releaseSignal = createDeferred()
    let runningCount = 0
    let maxRunning = 0
    const step = async () => {
      maxRunning = Math.max(maxRunning, ++runningCount)
      await releaseSignal.promise
      runningCount--
      return 'Done.'
    }
    const { runAgent, runtime } = await startAgents({
      scripts: { 'Work on it': [step, step, step, step] },
      scheduling: { limits: { agents: 2 } },
    })
    runtime.load(TASK_TOOLS)
    for (let count = 0; count < 4; count++) await runAgent({ prompt: 'Work on it', run_in_background: true })
    await expect.poll(() => runningCount).toBe(2)
    releaseSignal.resolve()

    for (const id of [1, 2, 3, 4]) await runtime.run([call('TaskOutput', { task_id: `agent-${id}` }, `o${id}`)]).results

    expect(maxRunning).toBe(2)
    expect(runtime.tasks.list().map(({ status }) => status)).toEqual(Array(4).fill('completed'))
  })

  test('can be stopped while it waits for a slot, and then never starts', async () => {
    const { runAgent, runtime, requests } = await startAgents({
      scripts: { 'Hang on': [() => new Promise<never>(() => {})] },
      scheduling: { limits: { agents: 1 } },
    })
    runtime.load(TASK_TOOLS)
    for (let count = 0; count < 2; count++) await runAgent({ prompt: 'Hang on', run_in_background: true })
    await expect.poll(() => requests.length).toBe(1)

    const [stopResult] = await runtime.run([call('TaskStop', { task_id: 'agent-2' })]).results

    expect(textOf(stopResult)).toContain('was stopped')
    await runtime.dispose()
    expect(requests).toHaveLength(1)
  })

  test('is refused when 100 are running, and accepted again after one has ended', async () => {
    const { runAgent, runtime } = await startAgents({
      scripts: { 'Hang on': [() => new Promise<never>(() => {})] },
      scheduling: { limits: { agents: 1 } },
    })
    runtime.load(TASK_TOOLS)
    const start = async () => (await runAgent({ prompt: 'Hang on', run_in_background: true })).text
    for (let count = 0; count < 100; count++) expect(await start()).toContain('is working in the background')

    expect(await start()).toMatch(/^100 agents are running in the background already/)
    await runtime.run([call('TaskStop', { task_id: 'agent-50' })]).results
    expect(await start()).toContain('is working in the background')
    await runtime.dispose()
  })
})

describe('hooks', () => {
  test('receive the start and end of every sub-agent and of both kinds of background work', async () => {
    const payloads: Record<string, Record<string, unknown>[]> = { start: [], stop: [], created: [], completed: [] }
    const { runAgent, runtime } = await startAgents({
      permissions: { allow: ['Bash'] },
      hooks: {
        SubagentStart: createRecordingHook(payloads.start as unknown[]),
        SubagentStop: createRecordingHook(payloads.stop as unknown[]),
        TaskCreated: createRecordingHook(payloads.created as unknown[]),
        TaskCompleted: createRecordingHook(payloads.completed as unknown[]),
      },
      scripts: { Hello: ['Hello there.', 'Hello again.'] },
    })
    runtime.load(TASK_TOOLS)

    await runAgent({ prompt: 'Hello', subagent_type: 'Explore' })
    await runAgent({ description: 'say hello', prompt: 'Hello', run_in_background: true })
    await runtime.run([call('TaskOutput', { task_id: 'agent-1' })]).results
    await runtime.run([call('Bash', { command: 'true', run_in_background: true })]).results
    await runtime.run([call('TaskOutput', { task_id: 'shell-2' })]).results
    await expect.poll(() => payloads.completed?.length).toBe(2)

    expect(payloads.start).toMatchObject([
      { hook_event_name: 'SubagentStart', agent_type: 'Explore', agent_id: expect.stringMatching(/^explore-/) },
      { agent_type: 'general-purpose' },
    ])
    expect(payloads.start?.[0]?.permission_mode).toBe('plan')
    expect(payloads.stop).toMatchObject([
      { agent_type: 'Explore', agent_id: payloads.start?.[0]?.agent_id, last_assistant_message: 'Hello there.' },
      { agent_type: 'general-purpose' },
    ])
    expect(payloads.created).toMatchObject([
      { task_id: 'agent-1', task_type: 'agent', task_subject: 'say hello', task_status: 'running' },
      { task_id: 'shell-2', task_type: 'shell' },
    ])
    expect(payloads.completed).toMatchObject([
      { task_id: 'agent-1', task_status: 'completed' },
      { task_id: 'shell-2', task_status: 'completed', exit_code: 0 },
    ])
  })

  test('can add context to a sub-agent and make it continue', async () => {
    let remainingBlocks = 1
    const { runAgent, requests } = await startAgents({
      hooks: {
        SubagentStart: createRecordingHook([], () => ({ hookSpecificOutput: { additionalContext: 'Use tabs.' } })),
        SubagentStop: createRecordingHook([], () =>
          remainingBlocks-- > 0 ? { decision: 'block', reason: 'Run the tests.' } : {},
        ),
      },
      scripts: { 'Do the work': ['Done.', 'Done, and tested.'] },
    })

    const { text } = await runAgent({ prompt: 'Do the work' })

    expect(text).toMatch(/^Done, and tested\./)
    expect(JSON.stringify(requests[0]?.messages)).toContain('Use tabs.')
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('Run the tests.')
  })
})
