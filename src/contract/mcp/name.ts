const UNACCEPTED_CHARACTER = /[^a-zA-Z0-9_-]/

/** Replaces the characters in the name of a server or tool that model providers do not accept. */
export function normaliseMcpName(name: string): string {
  return UNACCEPTED_CHARACTER.test(name) ? name.replace(/[^a-zA-Z0-9_-]/g, '_') : name
}

/** Returns the name of an MCP tool in rules and, unless the prefix of the server is switched off, in requests. */
export function toMcpToolName(serverName: string, toolName: string): string {
  return `mcp__${serverName}__${toolName}`
}

const MAX_DISPLAY_CHARS = 40
const MAX_DISPLAY_SERVERS = 10

/** Returns the name of a server for a text that the model reads. It cannot contain markup that closes the text around it. */
export function displayServerName(name: string): string {
  return normaliseMcpName(name.slice(0, MAX_DISPLAY_CHARS))
}

/** Lists the first servers and the number of further ones. */
export function displayServerNames(names: readonly string[]): string {
  const unlistedCount = names.length - MAX_DISPLAY_SERVERS
  return (
    names.slice(0, MAX_DISPLAY_SERVERS).map(displayServerName).join(', ') +
    (unlistedCount > 0 ? ` and ${unlistedCount} more` : '')
  )
}
