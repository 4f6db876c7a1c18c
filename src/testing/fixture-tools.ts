import * as z from 'zod'
import { feature } from '../contract/build-flags.js'
import { lazySchema } from '../contract/schema.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { ToolRoles } from '../contract/tool/identity.js'
import type { Tool, Tools } from '../contract/tool/tool.js'

type Fixture = Pick<Tool, 'name' | 'searchHint' | 'shouldDefer' | 'alwaysLoad' | 'aliases' | keyof ToolRoles> &
  Partial<Pick<Tool, 'isReadOnly' | 'isConcurrencySafe' | 'isEnabled'>>

/**
 * A tool with the name, conditions and description of a real one that does nothing.
 * @__NO_SIDE_EFFECTS__
 */
function stub(fixture: Fixture): Tool {
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

const deferred = true
const reads = { isReadOnly: () => true, isConcurrencySafe: () => true }
const byInput = {
  isReadOnly: (input: { target: string }) => input.target === 'ls',
  isConcurrencySafe: (input: { target: string }) => input.target === 'ls',
}

/** Every built-in tool that the flags and the pool know by name, enabled by the same conditions as in the real list. */
export const builtInTools: Tools = [
  stub({
    name: 'Agent',
    modes: { delegating: true },
    startsAgents: true,
    aliases: ['Task'],
    searchHint: 'delegate work to a sub-agent',
  }),
  stub({ name: 'ApplyPatch', modes: { repl: 'hidden' }, searchHint: 'apply a patch to several files' }),
  stub({
    name: 'AskUserQuestion',
    modes: { coordinating: true },
    searchHint: 'ask the user multiple choice questions',
  }),
  stub({ name: 'Bash', modes: { simple: true, repl: 'hidden' }, searchHint: 'execute shell commands', ...byInput }),
  stub({ name: 'Brief', modes: { coordinating: true }, userChannel: 'text', searchHint: 'send a message to the user' }),
  stub({ name: 'Config', searchHint: 'read and change settings' }),
  stub({ name: 'CtxInspect', searchHint: 'show what fills the context', ...reads }),
  stub({ name: 'Edit', modes: { simple: true, repl: 'hidden' }, searchHint: 'change text in a file' }),
  stub({
    name: 'EnterPlanMode',
    modes: { coordinating: true },
    mainAgentOnly: true,
    searchHint: 'enter planning mode for complex tasks',
    shouldDefer: deferred,
  }),
  stub({ name: 'EnterWorktree', searchHint: 'create isolated git worktree', shouldDefer: deferred }),
  stub({
    name: 'ExitPlanMode',
    modes: { coordinating: true },
    submitsPlan: true,
    mainAgentOnly: true,
    searchHint: 'exit planning mode and execute',
    shouldDefer: deferred,
  }),
  stub({ name: 'ExitWorktree', searchHint: 'exit and clean up git worktree', shouldDefer: deferred }),
  stub({ name: 'Glob', modes: { repl: 'hidden' }, searchHint: 'find files by name pattern or wildcard', ...reads }),
  stub({ name: 'Grep', modes: { repl: 'hidden' }, searchHint: 'search file contents', ...reads }),
  stub({ name: 'LSP', searchHint: 'language server protocol operations', shouldDefer: deferred }),
  stub({
    name: 'ListMcpResources',
    modes: { onDemand: true },
    readsMcpResources: true,
    searchHint: 'list available MCP resources',
    shouldDefer: deferred,
    ...reads,
  }),
  stub({ name: 'MultiEdit', modes: { repl: 'hidden' }, searchHint: 'change several places of a file' }),
  stub({
    name: 'NotebookEdit',
    modes: { repl: 'hidden' },
    searchHint: 'edit jupyter notebook cells',
    shouldDefer: deferred,
  }),
  stub({
    name: 'PowerShell',
    modes: { repl: 'hidden' },
    searchHint: 'execute PowerShell commands',
  }),
  stub({ name: 'REPL', modes: { repl: 'runs' }, searchHint: 'run code that calls tools' }),
  stub({ name: 'Read', modes: { simple: true, repl: 'hidden' }, searchHint: 'read files', ...reads }),
  stub({
    name: 'ReadMcpResource',
    modes: { onDemand: true },
    readsMcpResources: true,
    searchHint: 'read MCP resource content',
    shouldDefer: deferred,
    ...reads,
  }),
  stub({
    name: 'SendMessage',
    modes: { delegating: true },
    searchHint: 'send message to team member',
    shouldDefer: deferred,
  }),
  stub({ name: 'Skill', loadsSkills: true, keepsResults: true, searchHint: 'run a skill', alwaysLoad: true }),
  stub({
    name: 'StructuredOutput',
    modes: { onDemand: true },
    mainAgentOnly: true,
    searchHint: 'give the final answer in a schema',
  }),
  stub({ name: 'TaskCreate', modes: { coordinating: true }, searchHint: 'create new subtask', shouldDefer: deferred }),
  stub({
    name: 'TaskGet',
    modes: { coordinating: true },
    searchHint: 'get subtask details',
    shouldDefer: deferred,
    ...reads,
  }),
  stub({
    name: 'TaskList',
    modes: { coordinating: true },
    searchHint: 'list all subtasks',
    shouldDefer: deferred,
    ...reads,
  }),
  stub({
    name: 'TaskOutput',
    modes: { coordinating: true },
    readsTasks: true,
    searchHint: 'read output of background work',
    shouldDefer: deferred,
    ...reads,
  }),
  stub({ name: 'TaskStop', modes: { delegating: true }, searchHint: 'stop running subtask', shouldDefer: deferred }),
  stub({
    name: 'TaskUpdate',
    modes: { coordinating: true },
    searchHint: 'update subtask status',
    shouldDefer: deferred,
  }),
  stub({ name: 'TeamCreate', modes: { coordinating: true }, searchHint: 'create agent team', shouldDefer: deferred }),
  stub({ name: 'TeamDelete', modes: { coordinating: true }, searchHint: 'delete agent team', shouldDefer: deferred }),
  stub({ name: 'Terminal', searchHint: 'drive interactive programs' }),
  stub({ name: 'TodoWrite', modes: { coordinating: true }, searchHint: 'update todo list', shouldDefer: deferred }),
  stub({
    name: 'ToolSearch',
    modes: { coordinating: true },
    findsTools: true,
    searchHint: 'find and load deferred tools',
    ...reads,
  }),
  stub({ name: 'WebFetch', searchHint: 'fetch content from URL', shouldDefer: deferred, isReadOnly: () => true }),
  stub({ name: 'WebSearch', searchHint: 'search the web', shouldDefer: deferred, isReadOnly: () => true }),
  stub({ name: 'Write', modes: { repl: 'hidden' }, searchHint: 'write files' }),
  ...(feature('AGENT_TRIGGERS')
    ? [
        stub({ name: 'CronCreate', searchHint: 'create scheduled cron task', shouldDefer: deferred }),
        stub({ name: 'CronDelete', searchHint: 'delete scheduled cron task', shouldDefer: deferred }),
        stub({ name: 'CronList', searchHint: 'list scheduled cron tasks', shouldDefer: deferred, ...reads }),
        stub({ name: 'RemoteTrigger', searchHint: 'schedule remote agent trigger', shouldDefer: deferred }),
      ]
    : []),
  ...(feature('HISTORY_SNIP') ? [stub({ name: 'Snip', searchHint: 'drop spans of history' })] : []),
  ...(feature('KAIROS')
    ? [
        stub({
          name: 'SendUserFile',
          userChannel: 'files',
          searchHint: 'send a file to the user',
          shouldDefer: deferred,
        }),
      ]
    : []),
  ...(feature('KAIROS') || feature('PROACTIVE')
    ? [stub({ name: 'Sleep', searchHint: 'wait for some time', ...reads })]
    : []),
  ...(feature('MONITOR')
    ? [stub({ name: 'Monitor', searchHint: 'wake on each line of a command', shouldDefer: deferred })]
    : []),
  ...(feature('PR_TOOLS')
    ? [
        stub({ name: 'SubscribePR', searchHint: 'follow a pull request' }),
        stub({ name: 'SuggestBackgroundPR', searchHint: 'suggest a pull request made in the background' }),
      ]
    : []),
  ...(feature('PUSH_NOTIFICATION') ? [stub({ name: 'PushNotification', searchHint: 'notify the user' })] : []),
  ...(feature('WEB_BROWSER_TOOL')
    ? [stub({ name: 'WebBrowser', searchHint: 'drive a real browser', shouldDefer: deferred })]
    : []),
  ...(feature('WORKFLOW') ? [stub({ name: 'Workflow', searchHint: 'run a script of agents' })] : []),
]
