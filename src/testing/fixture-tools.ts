import * as z from 'zod'
import { buildTool } from '../contract/build-tool.js'
import { feature } from '../contract/feature.js'
import { lazySchema } from '../contract/lazy-schema.js'
import type { Tool, Tools } from '../contract/tool.js'

type Fixture = Pick<Tool, 'name' | 'searchHint' | 'shouldDefer' | 'alwaysLoad' | 'aliases'> &
  Partial<Pick<Tool, 'isReadOnly' | 'isConcurrencySafe' | 'isEnabled'>>

/**
 * A tool that is listed, gated and described like the real one of its name, and does nothing.
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
        limit: z.number().int().positive().optional().describe('The most to give back'),
        options: z
          .array(z.enum(['quick', 'thorough']))
          .optional()
          .describe('How to go about it'),
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

/** Every built-in tool that the flags and the pool know by name, gated as the real list gates it. */
export const builtInTools: Tools = [
  stub({ name: 'Agent', aliases: ['Task'], searchHint: 'delegate work to a sub-agent' }),
  stub({ name: 'ApplyPatch', searchHint: 'apply a patch to several files' }),
  stub({ name: 'AskUserQuestion', searchHint: 'ask the user multiple choice questions' }),
  stub({ name: 'Bash', searchHint: 'execute shell commands', ...byInput }),
  stub({ name: 'Brief', searchHint: 'send a message to the user' }),
  stub({ name: 'Config', searchHint: 'read and change settings' }),
  stub({ name: 'CtxInspect', searchHint: 'show what fills the context', ...reads }),
  stub({ name: 'Edit', searchHint: 'change text in a file' }),
  stub({ name: 'EnterPlanMode', searchHint: 'enter planning mode for complex tasks', shouldDefer: deferred }),
  stub({ name: 'EnterWorktree', searchHint: 'create isolated git worktree', shouldDefer: deferred }),
  stub({ name: 'ExitPlanMode', searchHint: 'exit planning mode and execute', shouldDefer: deferred }),
  stub({ name: 'ExitWorktree', searchHint: 'exit and clean up git worktree', shouldDefer: deferred }),
  stub({ name: 'Glob', searchHint: 'find files by name pattern or wildcard', ...reads }),
  stub({ name: 'Grep', searchHint: 'search file contents', ...reads }),
  stub({ name: 'LSP', searchHint: 'language server protocol operations', shouldDefer: deferred }),
  stub({ name: 'ListMcpResources', searchHint: 'list available MCP resources', shouldDefer: deferred, ...reads }),
  stub({ name: 'MultiEdit', searchHint: 'change several places of a file' }),
  stub({ name: 'NotebookEdit', searchHint: 'edit jupyter notebook cells', shouldDefer: deferred }),
  stub({ name: 'PowerShell', searchHint: 'execute PowerShell commands' }),
  stub({ name: 'REPL', searchHint: 'run code that calls tools' }),
  stub({ name: 'Read', searchHint: 'read files', ...reads }),
  stub({ name: 'ReadMcpResource', searchHint: 'read MCP resource content', shouldDefer: deferred, ...reads }),
  stub({ name: 'SendMessage', searchHint: 'send message to team member', shouldDefer: deferred }),
  stub({ name: 'Skill', searchHint: 'run a skill', alwaysLoad: true }),
  stub({ name: 'StructuredOutput', searchHint: 'give the final answer in a schema' }),
  stub({ name: 'TaskCreate', searchHint: 'create new subtask', shouldDefer: deferred }),
  stub({ name: 'TaskGet', searchHint: 'get subtask details', shouldDefer: deferred, ...reads }),
  stub({ name: 'TaskList', searchHint: 'list all subtasks', shouldDefer: deferred, ...reads }),
  stub({ name: 'TaskOutput', searchHint: 'read output of background work', shouldDefer: deferred, ...reads }),
  stub({ name: 'TaskStop', searchHint: 'stop running subtask', shouldDefer: deferred }),
  stub({ name: 'TaskUpdate', searchHint: 'update subtask status', shouldDefer: deferred }),
  stub({ name: 'TeamCreate', searchHint: 'create agent team', shouldDefer: deferred }),
  stub({ name: 'TeamDelete', searchHint: 'delete agent team', shouldDefer: deferred }),
  stub({ name: 'Terminal', searchHint: 'drive interactive programs' }),
  stub({ name: 'TodoWrite', searchHint: 'update todo list', shouldDefer: deferred }),
  stub({ name: 'ToolSearch', searchHint: 'find and load deferred tools', ...reads }),
  stub({ name: 'WebFetch', searchHint: 'fetch content from URL', shouldDefer: deferred, isReadOnly: () => true }),
  stub({ name: 'WebSearch', searchHint: 'search the web', shouldDefer: deferred, isReadOnly: () => true }),
  stub({ name: 'Write', searchHint: 'write files' }),
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
    ? [stub({ name: 'SendUserFile', searchHint: 'send a file to the user', shouldDefer: deferred })]
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
