import type { Command } from './io/command.js'

const SETTINGS_USAGE =
  '[--permission-mode MODE] [--allowed-tools RULES] [--disallowed-tools RULES] [--settings FILE|JSON] [--mcp-config FILE|JSON] [--trust]'

/** What `haft` does without the name of a command. */
export const agent: Command = {
  name: '-p',
  usage: async () => (await import('./usage.js')).printUsage,
  summary: 'give the agent a prompt, or go on with a session',
  load: async () => (await import('./commands/print/run-print.js')).runPrint,
}

/** All commands in the order in which help lists them. A command is its file and an entry here. */
export const commands: readonly Command[] = [
  {
    name: 'tools',
    usage: async () => (await import('./usage.js')).toolsUsage,
    summary: 'list the tools that exist now, show one or search for some',
    load: async () => (await import('./commands/tools/run-tools.js')).runTools,
  },
  {
    name: 'call',
    usage: [`haft call TOOL JSON|- [--json] ${SETTINGS_USAGE}`],
    summary: 'call one tool and print its result',
    load: async () => (await import('./commands/call/run-call.js')).runCall,
  },
  {
    name: 'run',
    usage: [`haft run [FILE|-] [--events] ${SETTINGS_USAGE}`],
    summary: 'run the calls of a stream of lines: tool_use in, tool_result out',
    load: async () => (await import('./commands/run/run-stream.js')).runRun,
  },
  {
    name: 'replay',
    usage: ['haft replay FILE|-'],
    summary: 'draw the timeline of what haft run --events wrote',
    load: async () => (await import('./commands/replay/run-replay.js')).runReplay,
  },
  {
    name: 'rewind',
    usage: ['haft rewind [--list] [ID] [--json]'],
    summary: 'list what calls changed in this project, or go back to before one',
    load: async () => (await import('./commands/rewind/run-rewind.js')).runRewind,
  },
  {
    name: 'permissions',
    usage: [
      `haft permissions explain TOOL JSON|- [--json] ${SETTINGS_USAGE}`,
      'haft permissions check --jsonl [--trust]',
    ],
    summary: 'tell what would be decided about calls, and why',
    load: async () => (await import('./commands/permissions/run-permissions.js')).runPermissions,
  },
  {
    name: 'mcp',
    usage: async () => (await import('./usage.js')).mcpUsage,
    summary: 'configure and try MCP servers, serve tools to MCP clients',
    load: async () => (await import('./commands/mcp/run-mcp.js')).runMcp,
  },
  {
    name: 'demo',
    usage: ['haft demo'],
    summary: 'watch a scripted model work with real tools, without a key or a network',
    load: async () => (await import('./commands/demo/run-demo.js')).runDemo,
  },
  {
    name: 'doctor',
    usage: ['haft doctor [--json]'],
    summary: 'tell what is found, what is missing and how to get it',
    load: async () => (await import('./commands/doctor/run-doctor.js')).runDoctor,
  },
]
