const OTHER_CHARACTERS = /[^a-zA-Z0-9_-]/

/** A server's or tool's name in the characters that model providers accept. */
export function normaliseMcpName(name: string): string {
  return OTHER_CHARACTERS.test(name) ? name.replace(/[^a-zA-Z0-9_-]/g, '_') : name
}

/** How a tool of a server is written in rules, and shown unless the server's prefix is switched off. */
export function mcpToolName(serverName: string, toolName: string): string {
  return `mcp__${serverName}__${toolName}`
}

const SHOWN_NAME_CHARS = 40
const SHOWN_SERVERS = 10

/** A server's name in a text for the model: whoever chose it cannot close what stands around it. */
export function shownServer(name: string): string {
  return normaliseMcpName(name.slice(0, SHOWN_NAME_CHARS))
}

/** The first of them, and how many more there are. */
export function shownServers(names: readonly string[]): string {
  const more = names.length - SHOWN_SERVERS
  return names.slice(0, SHOWN_SERVERS).map(shownServer).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
