import { expect, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import type { AgentOutcome, AgentRequest, AgentsPort } from '../../contract/ports/agents.js'
import { callTool } from '../../testing/call-tool.js'
import { AgentTool } from './tool.js'

const AGENT_KINDS = [
  { name: 'general-purpose', description: 'Anything' },
  { name: 'Explore', description: 'Finds out' },
  { name: 'Reviewer', description: 'Reviews' },
]

function createFakeAgents(outcome: Partial<AgentOutcome> = {}): AgentsPort & { readonly requests: AgentRequest[] } {
  const requests: AgentRequest[] = []
  return {
    requests,
    async run(request) {
      requests.push(request)
      return { agentId: 'a-1', text: 'The answer.', tokens: 120, toolUses: 3, durationMs: 5, ...outcome }
    },
    async start(request) {
      requests.push(request)
      return { taskId: 'agent-1', agentId: 'a-1' }
    },
  }
}

function call(input: object, agents: AgentsPort) {
  const options = {
    ...{ tools: [], commands: [], mainLoopModel: '', mcpClients: [] },
    thinkingConfig: { type: 'disabled' as const },
    agentDefinitions: AGENT_KINDS,
  }
  return callTool(AgentTool, { description: 'd', prompt: 'p', ...input }, { agents, options })
}

function createPromptFor(kinds: readonly { name: string; description: string }[], denyRules: readonly string[] = []) {
  const toolPermissionContext = createPermissionContext({ alwaysDenyRules: { session: denyRules } })
  return AgentTool.prompt({ tools: [], toolPermissionContext, agentDefinitions: kinds })
}

test('the Agent tool starts the requested kind of agent, in any letter case, or general-purpose by default', async () => {
  const agents = createFakeAgents()

  expect(await call({}, agents)).toBe('The answer.\n\n[general-purpose agent: 3 calls, 120 tokens]')
  await call({ subagent_type: 'reviewer', model: 'small', isolation: 'worktree' }, agents)

  expect(agents.requests).toMatchObject([
    { description: 'd', prompt: 'p', kind: 'general-purpose', toolUseId: 'toolu_test', cwd: '/project' },
    { kind: 'Reviewer', model: 'small', isolation: 'worktree' },
  ])
})

test('the result reports background work, an early end and a leftover worktree', async () => {
  const worktree = { path: '/w', branch: 'haft/a' }

  expect(await call({ run_in_background: true }, createFakeAgents())).toContain('as task agent-1')
  expect(await call({}, createFakeAgents({ cutShort: 'the budget is used up.' }))).toMatch(
    /^\[The agent did not finish: the budget is used up\. Its last message follows\.\]\nThe answer\./,
  )
  expect(await call({}, createFakeAgents({ worktree }))).toContain('[It left changes in /w, on the branch haft/a.')
  expect(await call({}, createFakeAgents({ text: ' ' }))).toMatch(/^The agent ended without a final message\./)
})

test('an unknown kind of agent is refused, and a similar one is suggested', async () => {
  await expect(call({ subagent_type: 'Reviewr' }, createFakeAgents())).rejects.toThrow('Did you mean Reviewer?')
  await expect(call({ isolation: 'vm' }, createFakeAgents())).rejects.toThrow('isolation')
})

test('the prompt lists the kinds in order, without denied kinds, within the maximum length', async () => {
  const text = await createPromptFor(AGENT_KINDS, ['Agent(explore)', 'Task(Reviewer)', 'Agent(', 'Bash(x)'])

  expect(text).toMatch(/Kinds, for subagent_type:\n- general-purpose: Anything$/)
  expect((await createPromptFor([])).length).toBeLessThan(1_200)
  const manyKinds = Array.from({ length: 100 }, (_, at) => ({
    name: `kind-${at}`,
    description: 'long\nwords '.repeat(100),
  }))
  const longPrompt = await createPromptFor(manyKinds)
  expect(longPrompt.length).toBeLessThan(5_500)
  expect(longPrompt).toMatch(/- kind-0: long words .*…\n/)
  expect(longPrompt).toContain('Also: kind-')
})

test.each([
  [{ subagent_type: 'Explore' }, { reads: [{ path: './' }] }],
  [{ subagent_type: 'plan' }, { reads: [{ path: './' }] }],
  [{ isolation: 'worktree' as const }, { reads: [], writes: [] }],
  [{ run_in_background: true }, { writes: [{ thing: 'tasks:list' }] }],
  [{}, { unknown: true }],
])('with %j the call uses the resources %j', (input, resources) => {
  expect(AgentTool.resources({ description: 'd', prompt: 'p', ...input })).toEqual(resources)
  expect(AgentTool.isReadOnly({})).toBe(false)
  expect(AgentTool.isConcurrencySafe({})).toBe(false)
})

test('the progress of the agent is shown', () => {
  const progress = [{ agentId: 'a', tokens: 5, toolUses: 1, toolName: 'Read' }]

  expect(AgentTool.renderToolUseProgressMessage(progress)).toBe('Read · 1 call · 5 tokens')
  expect(AgentTool.renderToolUseProgressMessage([])).toBe('Starting')
})
