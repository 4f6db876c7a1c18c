import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentKind } from '../src/session/agents/agent-kinds.js'
import { createContextKeeper } from '../src/session/context/create-context-keeper.js'
import { createFixtureMcpTool } from '../src/testing/fixture-mcp-tool.js'
import { createAgentCall, listResults, startAgents, toAgentAnswer } from './agent-fixture.js'
import { createDeferred } from './runtime-fixtures.js'

const ALLOW_ALL = { permissions: { mode: 'bypassPermissions' as const }, isSandboxed: true }

function createKind(fields: Partial<AgentKind> & Pick<AgentKind, 'name'>): AgentKind {
  return { description: 'A kind of the test', source: 'user', ...fields }
}

function isRunning(command: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === command
      )
    } catch {
      // The process has just ended.
      return false
    }
  })
}

describe('a sub-agent', () => {
  test('works on its task with tools and returns its last message', async () => {
    const { runAgent, cwd, requests, spending } = await startAgents({
      scripts: {
        'Find the word': [
          { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
          (request) => `The file says ${listResults(request)[0]?.includes('needle') ? 'needle' : 'nothing'}.`,
        ],
      },
    })
    await writeFile(join(cwd, 'a.txt'), 'a needle\n')

    const { text, isError } = await runAgent({ prompt: 'Find the word in a.txt.' })

    expect(isError).toBe(false)
    expect(text).toMatch(/^The file says needle\.\n\n\[general-purpose agent: 1 call, \d+ tokens\]$/)
    expect(requests).toHaveLength(2)
    expect(spending.toolUses).toBe(1)
    expect(spending.usage.output).toBeGreaterThan(0)
    // The sub-agent does not see the conversation of its caller.
    expect(requests[0]?.messages).toHaveLength(1)
  })

  test('respects the budget that it shares with its siblings', async () => {
    const turns = Array.from({ length: 10 }, (_, index) => ({
      calls: [{ name: 'Glob', input: { pattern: `${index}*` } }],
      usage: { output: 1 },
    }))
    const { runtime, spending } = await startAgents({
      scripts: { one: turns, two: turns },
      facts: { prices: { input: 0, output: 1_000_000 } },
      maxBudgetUsd: 4,
    })

    await runtime.definitions()
    const calls = ['one', 'two'].map((prompt) => createAgentCall({ prompt }, prompt))
    const results = await runtime.run(calls).results

    expect(results.map((result) => toAgentAnswer(result).text)).toEqual([
      expect.stringContaining('budget'),
      expect.stringContaining('budget'),
    ])
    // Each agent may have sent one more request before the cost of the other was counted.
    expect(spending.costUsd).toBeLessThanOrEqual(5)
  })

  test('continues from a summary when its context window is full', async () => {
    const longTurn = { text: 'words '.repeat(26_000), calls: [{ name: 'Glob', input: { pattern: '*' } }] }
    const { runAgent, requests, spending } = await startAgents({
      scripts: { 'Look around': [longTurn, 'THE SUMMARY', 'Done.'] },
      facts: { contextWindow: 40_000, maxOutputTokens: 4_000 },
      agents: { query: { context: createContextKeeper() } },
    })

    const { text } = await runAgent({ prompt: 'Look around.' })

    expect(text).toMatch(/^Done\./)
    expect(JSON.stringify(requests.at(-1)?.messages)).toMatch(/THE SUMMARY.*Look around\./s)
    expect(requests.at(-1)?.messages.length).toBe(1)
    expect(spending.toolUses).toBe(1)
  })

  test('reports its progress', async () => {
    const events: unknown[] = []
    const { runAgent } = await startAgents({
      scripts: { 'Look around': [{ calls: [{ name: 'Glob', input: { pattern: '*' } }] }, 'Done.'] },
      onEvent: (event, { agentId }) => {
        if (event.type === 'call-progressed' && agentId === undefined) events.push(event.progress)
      },
    })

    await runAgent({ prompt: 'Look around.' })

    expect(events).toContainEqual(
      expect.objectContaining({ toolName: 'Glob', toolUses: 1, tokens: expect.any(Number) }),
    )
  })

  test('whose model fails returns an error that lists what was done', async () => {
    const { runAgent } = await startAgents({
      scripts: {
        'Try it': [
          { text: 'I begin.', calls: [{ name: 'Glob', input: { pattern: '*' } }] },
          { error: { kind: 'unauthorised', message: 'The key is not accepted.' } },
        ],
      },
    })

    const { text, isError } = await runAgent({ prompt: 'Try it.' })

    expect(isError).toBe(true)
    expect(text).toMatch(
      /failed after 1 call: its model failed\. .*The key is not accepted.*Its last message: I begin\./,
    )
  })

  test('ends its own calls when it is cancelled', async () => {
    const startedSignal = createDeferred()
    const controller = new AbortController()
    const command = `sleep 300.${process.pid}`
    const { runAgent } = await startAgents({
      ...ALLOW_ALL,
      scripts: {
        'Wait long': [{ calls: [{ name: 'Bash', input: { command } }] }, 'Never.'],
      },
      onEvent: (event, { agentId }) => {
        if (agentId !== undefined && event.type === 'call-started') startedSignal.resolve()
      },
    })
    const answer = runAgent({ prompt: 'Wait long.' }, { signal: controller.signal })
    await startedSignal.promise
    await expect.poll(() => isRunning(command)).toBe(true)

    controller.abort()

    const { isError, text } = await answer
    expect(isError).toBe(true)
    expect(text).toMatch(/cancel|abort/i)
    await expect.poll(() => isRunning(command)).toBe(false)
  })

  test('stops at the turn limit of its type and says so', async () => {
    const repeatedCall = { calls: [{ name: 'Glob', input: { pattern: '*.a' } }], text: 'Looking.' }
    const { runAgent } = await startAgents({
      kinds: [createKind({ name: 'short', maxTurns: 2 })],
      scripts: { 'Search on': [repeatedCall, repeatedCall, repeatedCall] },
    })

    const { text, isError } = await runAgent({ prompt: 'Search on.', subagent_type: 'short' })

    expect(isError).toBe(false)
    expect(text).toMatch(/^\[The agent did not finish: it reached its limit of turns\..*\nLooking\./)
  })

  test('of an unknown type is refused with a list of the known types', async () => {
    const { runAgent } = await startAgents({})

    expect((await runAgent({ subagent_type: 'explorer' })).text).toContain('Did you mean Explore?')
    expect((await runAgent({ subagent_type: 'zzz' })).text).toContain(
      'Available: general-purpose, Explore, Plan, fork.',
    )
  })

  test('with an unavailable model is refused, or uses its parent’s model if the type named it', async () => {
    const { runAgent } = await startAgents({
      kinds: [createKind({ name: 'thrifty', model: 'haiku' })],
      scripts: { 'Say hello': ['Hello.'] },
    })

    expect(await runAgent({ prompt: 'Say hello.', model: 'opus' })).toMatchObject({ isError: true })
    expect((await runAgent({ prompt: 'Say hello.', subagent_type: 'thrifty' })).text).toMatch(
      /^Hello\.\n\n\[The model haiku is not available: haiku is unknown\. The thrifty agent used scripted\.\]/,
    )
  })
})

describe('the tools of an agent type', () => {
  const mcpTools = [createFixtureMcpTool('slack', 'send_message'), createFixtureMcpTool('github', 'create_issue')]

  test('are enforced: other tools are not listed, cannot be called, and cannot be found', async () => {
    const { runAgent, requests, cwd } = await startAgents({
      ...ALLOW_ALL,
      kinds: [createKind({ name: 'reader', tools: ['Read', 'ToolSearch', 'mcp__slack'] })],
      mcpTools: () => mcpTools,
      scripts: {
        'Break out': [
          {
            calls: [
              { name: 'Write', input: { file_path: 'x', content: 'x' } },
              { name: 'Task', input: { description: 'd', prompt: 'p' } },
              { name: 'ToolSearch', input: { query: 'select:NotebookEdit,mcp__github__create_issue,TodoWrite' } },
              { name: 'ToolSearch', input: { query: 'create issue' } },
              { name: 'ToolSearch', input: { query: 'select:mcp__slack__send_message' } },
            ],
          },
          {
            calls: [
              { name: 'mcp__github__create_issue', input: { query: 'x' } },
              { name: 'mcp__slack__send_message', input: { query: 'x' } },
            ],
          },
          'No way.',
        ],
      },
    })

    const { text } = await runAgent({ prompt: 'Break out.', subagent_type: 'reader' })

    expect(text).toMatch(/^No way\./)
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['Read', 'ToolSearch'])
    const [write, task, select, search, foundResult, github, slack] = listResults(requests[2] as never)
    expect(write).toContain('switched off or denied here')
    expect(task).toContain('switched off or denied here')
    expect(select).not.toMatch(/<function>/)
    expect(search).not.toContain('mcp__github')
    expect(foundResult).toContain('mcp__slack__send_message')
    expect(github).toContain('switched off or denied here')
    expect(slack).not.toContain('denied')
    expect(existsSync(join(cwd, 'x'))).toBe(false)
  })

  test('never include a tool that the parent does not have, at any depth', async () => {
    const { runAgent, requests } = await startAgents({
      kinds: [
        createKind({ name: 'lean', tools: ['Agent', 'Read'] }),
        createKind({ name: 'greedy', tools: ['Read', 'Write', 'Bash'] }),
      ],
      scripts: {
        'Outer task': [
          { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'Inner task', subagent_type: 'greedy' } }] },
          'Outer done.',
        ],
        'Inner task': ['Inner done.'],
      },
    })

    await runAgent({ prompt: 'Outer task', subagent_type: 'lean' })

    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['Agent', 'Read'],
      ['Read'],
      ['Agent', 'Read'],
    ])
  })

  test('can be excluded by name and by server', async () => {
    const { runAgent, requests } = await startAgents({
      kinds: [createKind({ name: 'careful', disallowedTools: ['Bash', 'mcp__github', 'Write(x)'] })],
      mcpTools: () => mcpTools,
      scripts: { Look: [{ calls: [{ name: 'ToolSearch', input: { query: 'create issue' } }] }, 'Done.'] },
    })

    await runAgent({ prompt: 'Look', subagent_type: 'careful' })

    const names = requests[0]?.tools.map(({ name }) => name) ?? []
    expect(names).toContain('Edit')
    expect(names).not.toContain('Bash')
    expect(names).not.toContain('Write')
    expect(listResults(requests[1] as never)[0]).not.toContain('mcp__github')
  })

  test('never include tools that act for the main conversation', async () => {
    const { runAgent, requests } = await startAgents({
      permissions: { mode: 'plan' },
      kinds: [createKind({ name: 'bold', tools: ['ExitPlanMode', 'ToolSearch'] })],
      scripts: { Leave: [{ calls: [{ name: 'ExitPlanMode', input: { plan: 'Mine.' } }] }, 'No.'] },
    })

    await runAgent({ prompt: 'Leave', subagent_type: 'bold' })

    expect(listResults(requests[1] as never)[0]).toContain('switched off or denied here')
  })

  test('can be found by search if they are deferred', async () => {
    const { runAgent, requests } = await startAgents({
      ...ALLOW_ALL,
      mcpTools: () => mcpTools,
      scripts: {
        'Send it': [
          { calls: [{ name: 'ToolSearch', input: { query: 'slack send' } }] },
          { calls: [{ name: 'mcp__slack__send_message', input: { query: 'x' } }] },
          'Sent.',
        ],
      },
    })

    const { text } = await runAgent({ prompt: 'Send it.' })

    expect(text).toMatch(/^Sent\./)
    expect(requests[0]?.tools.some(({ name }) => name.startsWith('mcp__'))).toBe(false)
    expect(requests[1]?.tools.map(({ name }) => name)).toContain('mcp__slack__send_message')
    expect(listResults(requests[2] as never).at(-1)).not.toMatch(/deferred|denied/)
  })
})

describe('several agents', () => {
  test('run in parallel if they only read', async () => {
    const bothAgentsRunning = createDeferred()
    let runningCount = 0
    const waitForBoth = async () => {
      runningCount++
      if (runningCount === 2) bothAgentsRunning.resolve()
      await bothAgentsRunning.promise
      return 'Met.'
    }
    const { runtime } = await startAgents({
      scripts: { 'First reader': [waitForBoth], 'Second reader': [waitForBoth] },
    })
    await runtime.definitions()

    const results = await runtime.run([
      createAgentCall({ prompt: 'First reader', subagent_type: 'Explore' }, 'one'),
      createAgentCall({ prompt: 'Second reader', subagent_type: 'Plan' }, 'two'),
    ]).results

    expect(results.map((result) => toAgentAnswer(result).text.split('\n')[0])).toEqual(['Met.', 'Met.'])
  })

  test('run one at a time if they can write', async () => {
    const log: string[] = []
    const step = (name: string) => [
      async () => {
        log.push(`${name} begins`)
        await new Promise((resolve) => setImmediate(resolve))
        log.push(`${name} ends`)
        return 'Done.'
      },
    ]
    const { runtime } = await startAgents({ scripts: { 'Task one': step('one'), 'Task two': step('two') } })
    await runtime.definitions()

    await runtime.run([createAgentCall({ prompt: 'Task one' }, 'one'), createAgentCall({ prompt: 'Task two' }, 'two')])
      .results

    expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  })

  test('can be nested to a limit: the deepest has no Agent tool', async () => {
    const createTurns = (level: number) => [
      { calls: [{ name: 'Agent', input: { description: 'd', prompt: `Level ${level + 1}.` } }] },
      `Level ${level} done.`,
    ]
    const { runAgent, requests } = await startAgents({
      scripts: {
        'Level 1.': createTurns(1),
        'Level 2.': createTurns(2),
        'Level 3.': createTurns(3),
        'Level 4.': ['Too deep.'],
      },
    })

    const { text } = await runAgent({ prompt: 'Level 1.' })

    expect(text).toMatch(/^Level 1 done/)
    const firstMessages = requests.map(({ messages: [first] }) => JSON.stringify(first?.content))
    expect(firstMessages.some((message) => message.includes('Level 3.'))).toBe(true)
    expect(firstMessages.some((message) => message.includes('Level 4.'))).toBe(false)
    const deepestRequest = requests.find(({ messages: [first] }) => JSON.stringify(first?.content).includes('Level 3.'))
    expect(deepestRequest?.tools.map(({ name }) => name)).not.toContain('Agent')
  })

  test('add their usage to that of their ancestors', async () => {
    const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 }
    const { runAgent } = await startAgents({
      scripts: {
        'Outer task': [
          { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'Inner task' } }], usage },
          { text: 'Outer done.', usage },
        ],
        'Inner task': [{ text: 'Inner done.', usage }],
      },
    })

    expect((await runAgent({ prompt: 'Outer task' })).text).toContain('[general-purpose agent: 1 call, 330 tokens]')
  })

  test('of a type that lists other types can start only those', async () => {
    const { runAgent, requests } = await startAgents({
      kinds: [createKind({ name: 'lead', tools: ['Agent'], agents: ['Explore'] })],
      scripts: {
        'Lead it': [
          {
            calls: [
              { name: 'Agent', input: { description: 'd', prompt: 'Write' } },
              { name: 'Agent', input: { description: 'd', prompt: 'Look', subagent_type: 'Explore' } },
            ],
          },
          'Done.',
        ],
        Look: ['Looked.'],
        Write: ['Wrote.'],
      },
    })

    await runAgent({ prompt: 'Lead it', subagent_type: 'lead' })

    const [refusedResult, looked] = listResults(requests.at(-1) as never)
    expect(refusedResult).toContain('may start only these kinds of agents: Explore')
    expect(looked).toMatch(/^Looked\./)
  })
})
