import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../src/contract/model/model.js'
import { Session } from '../src/session/session.js'
import { createFixtureMcpTool } from '../src/testing/fixture-mcp-tool.js'
import { type AgentsSetup, listResults, MAIN_SYSTEM, startAgents } from './agent-fixture.js'

const mcpTools = [createFixtureMcpTool('slack', 'send_message'), createFixtureMcpTool('github', 'create_issue')]
const MODEL_FACTS = { contextWindow: 200_000, maxOutputTokens: 32_000 }

/** Runs a prompt of the main conversation to its end. */
async function converse(setup: AgentsSetup, prompt: string) {
  const fixture = await startAgents({ ...setup, mcpTools: () => mcpTools })
  const { runtime, model } = fixture
  const session = new Session({ runtime, model, system: MAIN_SYSTEM })
  return { ...fixture, end: await session.ask(prompt) }
}

/** Expects each part of a request to start with the same part of another. */
function expectPrefix(request: ModelRequest | undefined, otherRequest: ModelRequest | undefined) {
  expect(request?.system).toEqual(otherRequest?.system)
  expect(request?.tools.slice(0, otherRequest?.tools.length)).toEqual(otherRequest?.tools)
  expect(request?.messages.slice(0, otherRequest?.messages.length)).toEqual(otherRequest?.messages)
}

describe.each(['portable', 'native'] as const)('a fork with %s tool search', (searchMode) => {
  const facts = { ...MODEL_FACTS, supportsDeferLoading: searchMode === 'native' }

  test('starts with the last request of its parent, and so does the next request of the parent', async () => {
    const longText = 'x'.repeat(60_000)
    const { requests, end } = await converse(
      {
        facts,
        permissions: { allow: ['Bash'] },
        main: [
          {
            thinking: 'I search.',
            calls: [{ name: 'ToolSearch', input: { query: 'select:mcp__slack__send_message' } }],
          },
          { calls: [{ name: 'Bash', input: { command: 'seq 1 20000' } }] },
          {
            thinking: 'I delegate.',
            text: 'I let a fork do it.',
            calls: [
              { name: 'Glob', input: { pattern: '*' } },
              { name: 'Agent', input: { description: 'd', prompt: 'Count to three.', subagent_type: 'fork' } },
            ],
          },
          { calls: [{ name: 'Glob', input: { pattern: '**/*' } }] },
          'One, two, three.',
          'The fork counted.',
        ],
      },
      `Start. ${longText}`,
    )

    expect(end).toMatchObject({ reason: 'completed', text: 'The fork counted.' })
    const [, , before, fork, forkNext, after] = requests
    expect(requests).toHaveLength(6)
    expect(listResults(before as ModelRequest).at(-1)?.length).toBeLessThan(10_000)
    expectPrefix(fork, before)
    expectPrefix(forkNext, fork)
    expectPrefix(after, before)
    const addedMessages = fork?.messages.slice(before?.messages.length) ?? []
    expect(addedMessages.map(({ type }) => type)).toEqual(['assistant', 'user'])
    expect(JSON.stringify(addedMessages[1])).toContain('Count to three.')
    expect(listResults(after as ModelRequest).at(-1)).toMatch(/^One, two, three\./)
  })

  test('has the tools that its parent loaded and can load more', async () => {
    const { requests } = await converse(
      {
        facts,
        permissions: { mode: 'bypassPermissions' },
        main: [
          { calls: [{ name: 'ToolSearch', input: { query: 'select:mcp__slack__send_message' } }] },
          { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'Send it.', subagent_type: 'fork' } }] },
          {
            calls: [
              { name: 'mcp__slack__send_message', input: { query: 'x' } },
              { name: 'ToolSearch', input: { query: 'select:mcp__github__create_issue' } },
            ],
          },
          { calls: [{ name: 'mcp__github__create_issue', input: { query: 'y' } }] },
          'Sent.',
          'Done.',
        ],
        policy: { isSandboxed: true },
      },
      'Start.',
    )

    const results = listResults(requests[4] as ModelRequest)
    expect(results.at(-3)).toBe('{"query":"x"}')
    expect(results.at(-1)).toBe('{"query":"y"}')
    for (let at = 2; at < 5; at++) expectPrefix(requests[at], requests[at - 1])
  })
})

test('nested forks have the same depth limit as other agents', async () => {
  const forkCall = { calls: [{ name: 'Agent', input: { description: 'd', prompt: 'On.', subagent_type: 'fork' } }] }
  const { requests, end } = await converse(
    { facts: MODEL_FACTS, main: [forkCall, forkCall, forkCall, forkCall, 'A', 'B', 'C', 'D'] },
    'Start.',
  )

  expect(end.text).toBe('D')
  expect(listResults(requests[4] as ModelRequest).at(-1)).toContain('nested at most 3 levels deep')
})
