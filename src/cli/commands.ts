import type { Command } from './io/command.js'

const SETTINGS_USAGE =
  '[--permission-mode MODE] [--allowed-tools RULES] [--disallowed-tools RULES] [--settings FILE|JSON] [--mcp-config FILE|JSON] [--trust]'

/** The agent, which runs if no command is named. */
export const agent: Command = {
  name: '-p',
  usage: async () => (await import('./usage.js')).printUsage,
  summary: 'run the agent on a prompt, or continue a session',
  load: async () => (await import('./commands/print/run-print.js')).runPrint,
}

/** All commands, in the order of the help text. */
export const commands: readonly Command[] = [
  {
    name: 'tools',
    usage: async () => (await import('./usage.js')).toolsUsage,
    summary: 'list the available tools, show one, or search them',
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
    summary: 'run tool calls from a stream of lines: tool_use in, tool_result out',
    load: async () => (await import('./commands/run/run-stream.js')).runRunCommand,
  },
  {
    name: 'replay',
    usage: ['haft replay FILE|-'],
    summary: 'draw the timeline of a haft run --events log',
    load: async () => (await import('./commands/replay/run-replay.js')).runReplay,
  },
  {
    name: 'rewind',
    usage: ['haft rewind [--list] [ID] [--json]'],
    summary: 'list the changes that calls made in this project, or undo them',
    load: async () => (await import('./commands/rewind/run-rewind.js')).runRewind,
  },
  {
    name: 'permissions',
    usage: [
      `haft permissions explain TOOL JSON|- [--json] ${SETTINGS_USAGE}`,
      'haft permissions check --jsonl [--trust]',
    ],
    summary: 'show whether a call would be allowed, and why',
    load: async () => (await import('./commands/permissions/run-permissions.js')).runPermissions,
  },
  {
    name: 'mcp',
    usage: async () => (await import('./usage.js')).mcpUsage,
    summary: 'configure and test MCP servers, serve tools to MCP clients',
    load: async () => (await import('./commands/mcp/run-mcp.js')).runMcp,
  },
  {
    name: 'demo',
    usage: ['haft demo'],
    summary: 'watch a scripted model use real tools, without an API key or network',
    load: async () => (await import('./commands/demo/run-demo.js')).runDemo,
  },
  {
    name: 'doctor',
    usage: ['haft doctor [--json]'],
    summary: 'check this installation and suggest fixes',
    load: async () => (await import('./commands/doctor/run-doctor.js')).runDoctor,
  },
]
