export const usage: readonly string[] = [
  'haft mcp add NAME [--scope local|project|user] [--env NAME=VALUE]... -- COMMAND [ARGUMENTS]',
  'haft mcp add NAME URL [--transport http|sse] [--scope local|project|user] [--header "NAME: VALUE"]...',
  '                  [--headers-helper COMMAND] [--client-id ID] [--callback-port PORT]',
  'haft mcp list [--json]',
  'haft mcp get NAME [--json]',
  'haft mcp approve NAME',
  'haft mcp remove NAME [--scope local|project|user]',
  'haft mcp test NAME [--json] [--accept] [--trust] [--mcp-config FILE|JSON]',
  'haft mcp serve [--gateway] [--no-prefix] [--permission-mode MODE] [--allowed-tools RULES] [--disallowed-tools RULES]',
  '               [--settings FILE|JSON] [--mcp-config FILE|JSON] [--trust]',
  '               [--http PORT [--host ADDRESS] [--allow-host NAME]... [--no-token]]',
]
