import type { Command } from './io/command.js'
import type { Agents } from './run-cli.js'
import type { Usages } from './usage.js'

/** Creates a function that loads a usage text on demand, because this table is part of every start. */
const usageOf = (name: keyof Usages) => async () => (await import('./usage.js')).usages[name]

/** The two forms of the agent. One of them runs if no command is named. */
export const agents: Agents = {
  print: {
    name: '-p',
    usage: usageOf('print'),
    summary: 'run the agent on a prompt, or continue a session',
    load: async () => (await import('./commands/print/run-print.js')).runPrint,
  },
  interactive: {
    name: 'haft',
    usage: usageOf('interactive'),
    summary: 'work with the agent in the terminal',
    load: async () => (await import('./commands/interactive/run-interactive.js')).runInteractive,
  },
}

/** All commands, in the order of the help text. */
export const commands: readonly Command[] = [
  {
    name: 'tools',
    usage: usageOf('tools'),
    summary: 'list the available tools, show one, or search them',
    load: async () => (await import('./commands/tools/run-tools.js')).runTools,
  },
  {
    name: 'call',
    usage: usageOf('call'),
    summary: 'call one tool and print its result',
    load: async () => (await import('./commands/call/run-call.js')).runCall,
  },
  {
    name: 'run',
    usage: usageOf('run'),
    summary: 'run tool calls from a stream of lines: tool_use in, tool_result out',
    load: async () => (await import('./commands/run/run-stream.js')).runRunCommand,
  },
  {
    name: 'replay',
    usage: usageOf('replay'),
    summary: 'draw the timeline of a session or of a haft run --events log',
    load: async () => (await import('./commands/replay/run-replay.js')).runReplay,
  },
  {
    name: 'inspect',
    usage: usageOf('inspect'),
    summary: 'look at live and past sessions in the browser, and try tools and rules',
    load: async () => (await import('./commands/inspect/run-inspect.js')).runInspect,
  },
  {
    name: 'stats',
    usage: usageOf('stats'),
    summary: 'print calls, waits, tokens and cost of a session',
    load: async () => (await import('./commands/stats/run-stats.js')).runStats,
  },
  {
    name: 'rewind',
    usage: usageOf('rewind'),
    summary: 'list the changes that calls made in this project, or undo them',
    load: async () => (await import('./commands/rewind/run-rewind.js')).runRewind,
  },
  {
    name: 'schedule',
    usage: usageOf('schedule'),
    summary: 'list, add and run prompts that run at set times',
    load: async () => (await import('./commands/schedule/run-schedule.js')).runSchedule,
  },
  {
    name: 'permissions',
    usage: usageOf('permissions'),
    summary: 'show whether a call would be allowed, and why',
    load: async () => (await import('./commands/permissions/run-permissions.js')).runPermissions,
  },
  {
    name: 'mcp',
    usage: usageOf('mcp'),
    summary: 'configure and test MCP servers, serve tools to MCP clients',
    load: async () => (await import('./commands/mcp/run-mcp.js')).runMcp,
  },
  {
    name: 'acp',
    usage: usageOf('acp'),
    summary: 'serve an editor over the Agent Client Protocol',
    load: async () => (await import('./commands/acp/run-acp.js')).runAcp,
  },
  {
    name: 'demo',
    usage: usageOf('demo'),
    summary: 'watch a scripted model use real tools, without an API key or network',
    load: async () => (await import('./commands/demo/run-demo.js')).runDemo,
  },
  {
    name: 'doctor',
    usage: usageOf('doctor'),
    summary: 'check this installation and suggest fixes',
    load: async () => (await import('./commands/doctor/run-doctor.js')).runDoctor,
  },
]
