import type { Command } from './command.js'

const SETTINGS_USAGE =
  '[--permission-mode MODE] [--allowed-tools RULES] [--disallowed-tools RULES] [--settings FILE|JSON] [--mcp-config FILE|JSON] [--trust]'

/** All commands in the order in which help lists them. A command is its file and an entry here. */
export const commands: readonly Command[] = [
  {
    name: 'tools',
    usage: [
      'haft tools [--json] [--why] [--tools LIST] [--bare]',
      'haft tools show NAME [--json]',
      'haft tools search QUERY [--max-results N] [--catalog FILE]',
      'haft tools search --jsonl [--max-results N] --catalog FILE',
    ],
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
    load: async () => (await import('./commands/run/run-run.js')).runRun,
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
    usage: [
      'haft mcp add NAME [--scope local|project|user] [--env NAME=VALUE]... -- COMMAND [ARGUMENTS]',
      'haft mcp add NAME URL [--transport http|sse] [--scope local|project|user] [--header "NAME: VALUE"]...',
      '                  [--headers-helper COMMAND] [--client-id ID] [--callback-port PORT]',
      'haft mcp list [--json]',
      'haft mcp get NAME [--json]',
      'haft mcp approve NAME',
      'haft mcp remove NAME [--scope local|project|user]',
      'haft mcp test NAME [--json] [--accept] [--trust] [--mcp-config FILE|JSON]',
      `haft mcp serve [--gateway] [--no-prefix] ${SETTINGS_USAGE}`,
      '               [--http PORT [--host ADDRESS] [--allow-host NAME]... [--no-token]]',
    ],
    summary: 'add, list, approve and try MCP servers; serve tools to MCP clients',
    load: async () => (await import('./commands/mcp/run-mcp.js')).runMcp,
  },
  {
    name: 'doctor',
    usage: ['haft doctor [--json]'],
    summary: 'tell what is found, what is missing and how to get it',
    load: async () => (await import('./commands/doctor/run-doctor.js')).runDoctor,
  },
]
