import * as z from 'zod'
import { feature } from '../contract/build-flags.js'
import { lazySchema } from '../contract/schema.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { ToolRoles } from '../contract/tool/identity.js'
import type { Tool, Tools } from '../contract/tool/tool.js'

type Fixture = Pick<Tool, 'name' | 'searchHint' | 'shouldDefer' | 'alwaysLoad' | 'aliases' | keyof ToolRoles> &
  Partial<Pick<Tool, 'isReadOnly' | 'isConcurrencySafe' | 'isEnabled'>>

/**
 * Creates a tool that does nothing but has the name, the search hint and the roles of a real one.
 * @__NO_SIDE_EFFECTS__
 */
function createStubTool(fixture: Fixture): Tool {
  return buildTool({
    ...fixture,
    description: `Replaces ${fixture.name} in tests`,
    prompt: `Replaces ${fixture.name} in tests that need only its name, its traits and the size of its definition. It takes a target and options, changes nothing and returns its input.`,
    inputSchema: lazySchema(() =>
      z.strictObject({
        target: z.string().describe(`What ${fixture.name} is about`),
        limit: z.number().int().positive().optional().describe('Maximum number of results'),
        options: z
          .array(z.enum(['quick', 'thorough']))
          .optional()
          .describe('Search options'),
      }),
    ),
    async call(args) {
      return { data: args }
    },
  })
}

const readOnly = { isReadOnly: () => true, isConcurrencySafe: () => true }
const readOnlyForLs = {
  isReadOnly: (input: { target: string }) => input.target === 'ls',
  isConcurrencySafe: (input: { target: string }) => input.target === 'ls',
}

/** Every built-in tool that the flags and the pool know by name, enabled by the same conditions as in the real list. */
export const builtInTools: Tools = [
  createStubTool({
    name: 'Agent',
    modes: { delegating: true },
    startsAgents: true,
    aliases: ['Task'],
    searchHint: 'delegate work to a sub-agent',
  }),
  createStubTool({ name: 'ApplyPatch', modes: { repl: 'hidden' }, searchHint: 'apply a patch to several files' }),
  createStubTool({
    name: 'AskUserQuestion',
    modes: { coordinating: true },
    searchHint: 'ask the user multiple choice questions',
  }),
  createStubTool({
    name: 'Bash',
    modes: { simple: true, repl: 'hidden' },
    searchHint: 'execute shell commands',
    ...readOnlyForLs,
  }),
  createStubTool({
    name: 'Brief',
    modes: { coordinating: true },
    userChannel: 'text',
    searchHint: 'send a message to the user',
  }),
  createStubTool({ name: 'Config', searchHint: 'read and change settings' }),
  createStubTool({ name: 'CtxInspect', searchHint: 'show what fills the context', ...readOnly }),
  createStubTool({ name: 'Edit', modes: { simple: true, repl: 'hidden' }, searchHint: 'change text in a file' }),
  createStubTool({
    name: 'EnterPlanMode',
    modes: { coordinating: true },
    mainAgentOnly: true,
    searchHint: 'enter planning mode for complex tasks',
    shouldDefer: true,
  }),
  createStubTool({ name: 'EnterWorktree', searchHint: 'create isolated git worktree', shouldDefer: true }),
  createStubTool({
    name: 'ExitPlanMode',
    modes: { coordinating: true },
    submitsPlan: true,
    mainAgentOnly: true,
    searchHint: 'exit planning mode and execute',
    shouldDefer: true,
  }),
  createStubTool({ name: 'ExitWorktree', searchHint: 'exit and clean up git worktree', shouldDefer: true }),
  createStubTool({
    name: 'Glob',
    modes: { repl: 'hidden' },
    searchHint: 'find files by name pattern or wildcard',
    ...readOnly,
  }),
  createStubTool({ name: 'Grep', modes: { repl: 'hidden' }, searchHint: 'search file contents', ...readOnly }),
  createStubTool({ name: 'LSP', searchHint: 'language server protocol operations', shouldDefer: true }),
  createStubTool({
    name: 'ListMcpResources',
    modes: { onDemand: true },
    readsMcpResources: true,
    searchHint: 'list available MCP resources',
    shouldDefer: true,
    ...readOnly,
  }),
  createStubTool({ name: 'MultiEdit', modes: { repl: 'hidden' }, searchHint: 'change several places of a file' }),
  createStubTool({
    name: 'NotebookEdit',
    modes: { repl: 'hidden' },
    searchHint: 'edit jupyter notebook cells',
    shouldDefer: true,
  }),
  createStubTool({
    name: 'PowerShell',
    modes: { repl: 'hidden' },
    searchHint: 'execute PowerShell commands',
  }),
  createStubTool({ name: 'REPL', modes: { repl: 'runs' }, searchHint: 'run code that calls tools' }),
  createStubTool({ name: 'Read', modes: { simple: true, repl: 'hidden' }, searchHint: 'read files', ...readOnly }),
  createStubTool({
    name: 'ReadMcpResource',
    modes: { onDemand: true },
    readsMcpResources: true,
    searchHint: 'read MCP resource content',
    shouldDefer: true,
    ...readOnly,
  }),
  createStubTool({
    name: 'SendMessage',
    modes: { delegating: true },
    searchHint: 'send message to team member',
    shouldDefer: true,
  }),
  createStubTool({ name: 'Skill', loadsSkills: true, keepsResults: true, searchHint: 'run a skill', alwaysLoad: true }),
  createStubTool({
    name: 'StructuredOutput',
    modes: { onDemand: true },
    mainAgentOnly: true,
    searchHint: 'return the final answer in a schema',
  }),
  createStubTool({
    name: 'TaskCreate',
    modes: { coordinating: true },
    searchHint: 'create new subtask',
    shouldDefer: true,
  }),
  createStubTool({
    name: 'TaskGet',
    modes: { coordinating: true },
    searchHint: 'get subtask details',
    shouldDefer: true,
    ...readOnly,
  }),
  createStubTool({
    name: 'TaskList',
    modes: { coordinating: true },
    searchHint: 'list all subtasks',
    shouldDefer: true,
    ...readOnly,
  }),
  createStubTool({
    name: 'TaskOutput',
    modes: { coordinating: true },
    readsTasks: true,
    searchHint: 'read output of background work',
    shouldDefer: true,
    ...readOnly,
  }),
  createStubTool({
    name: 'TaskStop',
    modes: { delegating: true },
    searchHint: 'stop running subtask',
    shouldDefer: true,
  }),
  createStubTool({
    name: 'TaskUpdate',
    modes: { coordinating: true },
    searchHint: 'update subtask status',
    shouldDefer: true,
  }),
  createStubTool({
    name: 'TeamCreate',
    modes: { coordinating: true },
    searchHint: 'create agent team',
    shouldDefer: true,
  }),
  createStubTool({
    name: 'TeamDelete',
    modes: { coordinating: true },
    searchHint: 'delete agent team',
    shouldDefer: true,
  }),
  createStubTool({ name: 'Terminal', searchHint: 'drive interactive programs' }),
  createStubTool({
    name: 'TodoWrite',
    modes: { coordinating: true },
    searchHint: 'update todo list',
    shouldDefer: true,
  }),
  createStubTool({
    name: 'ToolSearch',
    modes: { coordinating: true },
    findsTools: true,
    searchHint: 'find and load deferred tools',
    ...readOnly,
  }),
  createStubTool({ name: 'WebFetch', searchHint: 'fetch content from URL', shouldDefer: true, isReadOnly: () => true }),
  createStubTool({ name: 'WebSearch', searchHint: 'search the web', shouldDefer: true, isReadOnly: () => true }),
  createStubTool({ name: 'Write', modes: { repl: 'hidden' }, searchHint: 'write files' }),
  ...(feature('AGENT_TRIGGERS')
    ? [
        createStubTool({ name: 'CronCreate', searchHint: 'create scheduled cron task', shouldDefer: true }),
        createStubTool({ name: 'CronDelete', searchHint: 'delete scheduled cron task', shouldDefer: true }),
        createStubTool({ name: 'CronList', searchHint: 'list scheduled cron tasks', shouldDefer: true, ...readOnly }),
        createStubTool({ name: 'RemoteTrigger', searchHint: 'schedule remote agent trigger', shouldDefer: true }),
      ]
    : []),
  ...(feature('HISTORY_SNIP') ? [createStubTool({ name: 'Snip', searchHint: 'drop spans of history' })] : []),
  ...(feature('KAIROS')
    ? [
        createStubTool({
          name: 'SendUserFile',
          userChannel: 'files',
          searchHint: 'send a file to the user',
          shouldDefer: true,
        }),
      ]
    : []),
  ...(feature('KAIROS') || feature('PROACTIVE')
    ? [createStubTool({ name: 'Sleep', searchHint: 'wait for some time', ...readOnly })]
    : []),
  ...(feature('MONITOR')
    ? [createStubTool({ name: 'Monitor', searchHint: 'wake on each line of a command', shouldDefer: true })]
    : []),
  ...(feature('PR_TOOLS')
    ? [
        createStubTool({ name: 'SubscribePR', searchHint: 'follow a pull request' }),
        createStubTool({ name: 'SuggestBackgroundPR', searchHint: 'suggest a pull request made in the background' }),
      ]
    : []),
  ...(feature('PUSH_NOTIFICATION')
    ? [createStubTool({ name: 'PushNotification', searchHint: 'notify the user' })]
    : []),
  ...(feature('WEB_BROWSER_TOOL')
    ? [createStubTool({ name: 'WebBrowser', searchHint: 'drive a real browser', shouldDefer: true })]
    : []),
  ...(feature('WORKFLOW') ? [createStubTool({ name: 'Workflow', searchHint: 'run a script of agents' })] : []),
]
