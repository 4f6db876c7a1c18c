import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { DEFAULT_SANDBOX_SETTINGS } from '../src/contract/host/sandbox-settings.js'
import type { ToolResultBlock, ToolUseBlock } from '../src/contract/messages.js'
import type { Model, ModelRequest } from '../src/contract/model/model.js'
import type { Script, ScriptedConversation, ScriptStep } from '../src/providers/scripted/script.js'
import { createScriptedModel } from '../src/providers/scripted/scripted-model.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import type { AgentKind } from '../src/session/agents/agent-kinds.js'
import { BUILT_IN_KINDS } from '../src/session/agents/agent-kinds.js'
import type { AgentsOptions } from '../src/session/agents/agents-options.js'
import { createAgents } from '../src/session/agents/create-agents.js'
import { createSystemPrompt } from '../src/session/context/system-prompt.js'
import { PendingNotices } from '../src/session/conversation/pending-notices.js'
import { Spending } from '../src/session/conversation/spending.js'
import { builtInTools } from '../src/tools/index.js'
import { textOf } from './runtime-fixtures.js'

export const MAIN_SYSTEM = ['You are the main agent.']

export interface AgentsFixture {
  readonly runtime: HaftRuntime
  readonly cwd: string
  readonly model: Model
  /** All requests to models, in order. */
  readonly requests: ModelRequest[]
  /** The total cost of all agents. */
  readonly spending: Spending
  readonly notices: PendingNotices
  readonly problems: string[]
  /** Calls Agent as the main model would and returns the result that the model reads. */
  runAgent(input: Partial<AgentInput>, options?: { readonly signal?: AbortSignal }): Promise<AgentAnswer>
}

interface AgentInput {
  readonly description: string
  readonly prompt: string
  readonly subagent_type: string
  readonly model: string
  readonly run_in_background: boolean
  readonly isolation: 'worktree'
  readonly name: string
}

interface AgentAnswer {
  readonly text: string
  readonly isError: boolean
}

export interface AgentsSetup extends Omit<Partial<ToolRuntimeOptions>, 'cwd'> {
  readonly cwd?: string
  /** The script of each sub-agent, keyed by a word in its prompt. */
  readonly scripts?: Readonly<Record<string, readonly ScriptStep[]>>
  readonly main?: readonly ScriptStep[]
  readonly kinds?: readonly AgentKind[]
  readonly agents?: Partial<AgentsOptions>
  readonly facts?: Script['facts']
  readonly maxBudgetUsd?: number
}

/** Sub-agents on the real runtime and the real loop, with a scripted model. */
export async function startAgents({
  cwd: requestedCwd,
  scripts = {},
  main = [],
  kinds = [],
  agents: agentsOptions,
  facts,
  maxBudgetUsd,
  ...runtimeOptions
}: AgentsSetup): Promise<AgentsFixture> {
  const cwd = requestedCwd ?? (await createTemporaryFolder())
  const requests: ModelRequest[] = []
  const spending = new Spending()
  const problems: string[] = []
  const notices = new PendingNotices()
  const conversations: ScriptedConversation[] = Object.entries(scripts).map(([opening, turns]) => ({ opening, turns }))
  const script = { turns: [...main], conversations, ...(facts !== undefined && { facts }) }
  const model = recordRequests(createScriptedModel(script), requests)
  const allKinds = [...BUILT_IN_KINDS.filter(({ name }) => kinds.every((kind) => kind.name !== name)), ...kinds]
  const agents = createAgents({
    kinds: () => allKinds,
    main: () => ({ model, system: MAIN_SYSTEM, spending, maxBudgetUsd }),
    openModel: async (name) => {
      throw new Error(`${name} is unknown.`)
    },
    system: (agent, prompt) =>
      createSystemPrompt(
        {
          ...{ cwd: agent.cwd, model: agent.model.id, platform: 'linux', date: '2026-01-01' },
          ...{ isGitRepository: false, isHeadless: true },
        },
        prompt,
      ),
    ...agentsOptions,
  })
  const runtime: HaftRuntime = createToolRuntime({
    tools: builtInTools,
    cwd,
    onProblem: (problem) => problems.push(String(problem)),
    ...runtimeOptions,
    machine: {
      homeDir: await createTemporaryFolder(),
      sandbox: { ...DEFAULT_SANDBOX_SETTINGS, enabled: false },
      ...runtimeOptions.machine,
    },
    conversation: {
      agentDefinitions: allKinds,
      agentPorts: (agent) => ({ agents: agents(agent) }),
      onTaskEnded: notices.taskEnded,
      ...runtimeOptions.conversation,
    },
  })
  onTestFinished(() => runtime.dispose())
  let count = 0
  return {
    ...{ runtime, cwd, model, requests, spending, notices, problems },
    async runAgent(input, options = {}) {
      await runtime.definitions()
      const call = createAgentCall(input, `agent-call-${++count}`)
      const [result] = await runtime.run([call], options).results
      return toAgentAnswer(result)
    },
  }
}

export function createAgentCall(input: Partial<AgentInput>, id: string): ToolUseBlock {
  return { type: 'tool_use', id, name: 'Agent', input: { description: 'a task', prompt: 'Do it.', ...input } }
}

export function toAgentAnswer(result: ToolResultBlock | undefined): AgentAnswer {
  return { text: textOf(result), isError: result?.is_error === true }
}

/** The results in a request, in order. */
export function listResults({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block as ToolResultBlock)] : [])),
  )
}

export async function createTemporaryFolder(): Promise<string> {
  const { rm } = await import('node:fs/promises')
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-agents-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function recordRequests(model: Model, requests: ModelRequest[]): Model {
  return {
    ...model,
    stream(request, options) {
      requests.push(request)
      return model.stream(request, options)
    },
  }
}
