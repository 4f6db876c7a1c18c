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
function stubTool(fixture: Fixture): Tool {
  return buildTool({
    ...fixture,
    description: `Stands in for ${fixture.name}`,
    prompt: `Stands in for ${fixture.name} where only its name, its traits and the size of its definition matter. It takes a target and options, changes nothing and answers with what it was given.`,
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
  stubTool({
    name: 'Agent',
    modes: { delegating: true },
    startsAgents: true,
    aliases: ['Task'],
    searchHint: 'delegate work to a sub-agent',
  }),
  stubTool({ name: 'ApplyPatch', modes: { repl: 'hidden' }, searchHint: 'apply a patch to several files' }),
  stubTool({
    name: 'AskUserQuestion',
    modes: { coordinating: true },
    searchHint: 'ask the user multiple choice questions',
  }),
  stubTool({
    name: 'Bash',
    modes: { simple: true, repl: 'hidden' },
    searchHint: 'execute shell commands',
    ...readOnlyForLs,
  }),
  stubTool({
    name: 'Brief',
    modes: { coordinating: true },
    userChannel: 'text',
    searchHint: 'send a message to the user',
  }),
  stubTool({ name: 'Config', searchHint: 'read and change settings' }),
  stubTool({ name: 'CtxInspect', searchHint: 'show what fills the context', ...readOnly }),
  stubTool({ name: 'Edit', modes: { simple: true, repl: 'hidden' }, searchHint: 'change text in a file' }),
  stubTool({
    name: 'EnterPlanMode',
    modes: { coordinating: true },
    mainAgentOnly: true,
    searchHint: 'enter planning mode for complex tasks',
    shouldDefer: true,
  }),
  stubTool({ name: 'EnterWorktree', searchHint: 'create isolated git worktree', shouldDefer: true }),
  stubTool({
    name: 'ExitPlanMode',
    modes: { coordinating: true },
    submitsPlan: true,
    mainAgentOnly: true,
    searchHint: 'exit planning mode and execute',
    shouldDefer: true,
  }),
  stubTool({ name: 'ExitWorktree', searchHint: 'exit and clean up git worktree', shouldDefer: true }),
  stubTool({
    name: 'Glob',
    modes: { repl: 'hidden' },
    searchHint: 'find files by name pattern or wildcard',
    ...readOnly,
  }),
  stubTool({ name: 'Grep', modes: { repl: 'hidden' }, searchHint: 'search file contents', ...readOnly }),
  stubTool({ name: 'LSP', searchHint: 'language server protocol operations', shouldDefer: true }),
  stubTool({
    name: 'ListMcpResources',
    modes: { onDemand: true },
    readsMcpResources: true,
    searchHint: 'list available MCP resources',
    shouldDefer: true,
    ...readOnly,
  }),
  stubTool({ name: 'MultiEdit', modes: { repl: 'hidden' }, searchHint: 'change several places of a file' }),
  stubTool({
    name: 'NotebookEdit',
    modes: { repl: 'hidden' },
    searchHint: 'edit jupyter notebook cells',
    shouldDefer: true,
  }),
  stubTool({
    name: 'PowerShell',
    modes: { repl: 'hidden' },
    searchHint: 'execute PowerShell commands',
  }),
  stubTool({ name: 'REPL', modes: { repl: 'runs' }, searchHint: 'run code that calls tools' }),
  stubTool({ name: 'Read', modes: { simple: true, repl: 'hidden' }, searchHint: 'read files', ...readOnly }),
  stubTool({
    name: 'ReadMcpResource',
    modes: { onDemand: true },
    readsMcpResources: true,
    searchHint: 'read MCP resource content',
    shouldDefer: true,
    ...readOnly,
  }),
  stubTool({
    name: 'SendMessage',
    modes: { delegating: true },
    searchHint: 'send message to team member',
    shouldDefer: true,
  }),
  stubTool({ name: 'Skill', loadsSkills: true, keepsResults: true, searchHint: 'run a skill', alwaysLoad: true }),
  stubTool({
    name: 'StructuredOutput',
    modes: { onDemand: true },
    mainAgentOnly: true,
    searchHint: 'return the final answer in a schema',
  }),
  stubTool({ name: 'TaskCreate', modes: { coordinating: true }, searchHint: 'create new subtask', shouldDefer: true }),
  stubTool({
    name: 'TaskGet',
    modes: { coordinating: true },
    searchHint: 'get subtask details',
    shouldDefer: true,
    ...readOnly,
  }),
  stubTool({
    name: 'TaskList',
    modes: { coordinating: true },
    searchHint: 'list all subtasks',
    shouldDefer: true,
    ...readOnly,
  }),
  stubTool({
    name: 'TaskOutput',
    modes: { coordinating: true },
    readsTasks: true,
    searchHint: 'read output of background work',
    shouldDefer: true,
    ...readOnly,
  }),
  stubTool({ name: 'TaskStop', modes: { delegating: true }, searchHint: 'stop running subtask', shouldDefer: true }),
  stubTool({
    name: 'TaskUpdate',
    modes: { coordinating: true },
    searchHint: 'update subtask status',
    shouldDefer: true,
  }),
  stubTool({ name: 'TeamCreate', modes: { coordinating: true }, searchHint: 'create agent team', shouldDefer: true }),
  stubTool({ name: 'TeamDelete', modes: { coordinating: true }, searchHint: 'delete agent team', shouldDefer: true }),
  stubTool({ name: 'Terminal', searchHint: 'drive interactive programs' }),
  stubTool({ name: 'TodoWrite', modes: { coordinating: true }, searchHint: 'update todo list', shouldDefer: true }),
  stubTool({
    name: 'ToolSearch',
    modes: { coordinating: true },
    findsTools: true,
    searchHint: 'find and load deferred tools',
    ...readOnly,
  }),
  stubTool({ name: 'WebFetch', searchHint: 'fetch content from URL', shouldDefer: true, isReadOnly: () => true }),
  stubTool({ name: 'WebSearch', searchHint: 'search the web', shouldDefer: true, isReadOnly: () => true }),
  stubTool({ name: 'Write', modes: { repl: 'hidden' }, searchHint: 'write files' }),
  ...(feature('AGENT_TRIGGERS')
    ? [
        stubTool({ name: 'CronCreate', searchHint: 'create scheduled cron task', shouldDefer: true }),
        stubTool({ name: 'CronDelete', searchHint: 'delete scheduled cron task', shouldDefer: true }),
        stubTool({ name: 'CronList', searchHint: 'list scheduled cron tasks', shouldDefer: true, ...readOnly }),
        stubTool({ name: 'RemoteTrigger', searchHint: 'schedule remote agent trigger', shouldDefer: true }),
      ]
    : []),
  ...(feature('HISTORY_SNIP') ? [stubTool({ name: 'Snip', searchHint: 'drop spans of history' })] : []),
  ...(feature('KAIROS')
    ? [
        stubTool({
          name: 'SendUserFile',
          userChannel: 'files',
          searchHint: 'send a file to the user',
          shouldDefer: true,
        }),
      ]
    : []),
  ...(feature('KAIROS') || feature('PROACTIVE')
    ? [stubTool({ name: 'Sleep', searchHint: 'wait for some time', ...readOnly })]
    : []),
  ...(feature('MONITOR')
    ? [stubTool({ name: 'Monitor', searchHint: 'wake on each line of a command', shouldDefer: true })]
    : []),
  ...(feature('PR_TOOLS')
    ? [
        stubTool({ name: 'SubscribePR', searchHint: 'follow a pull request' }),
        stubTool({ name: 'SuggestBackgroundPR', searchHint: 'suggest a pull request made in the background' }),
      ]
    : []),
  ...(feature('PUSH_NOTIFICATION') ? [stubTool({ name: 'PushNotification', searchHint: 'notify the user' })] : []),
  ...(feature('WEB_BROWSER_TOOL')
    ? [stubTool({ name: 'WebBrowser', searchHint: 'drive a real browser', shouldDefer: true })]
    : []),
  ...(feature('WORKFLOW') ? [stubTool({ name: 'Workflow', searchHint: 'run a script of agents' })] : []),
]
