const OTHER_CHARACTERS = /[^a-zA-Z0-9_-]/

/** A server's or tool's name in the characters that model providers accept. */
export function normaliseMcpName(name: string): string {
  return OTHER_CHARACTERS.test(name) ? name.replace(/[^a-zA-Z0-9_-]/g, '_') : name
}

/** How a tool of a server is written in rules, and shown unless the server's prefix is switched off. */
export function mcpToolName(serverName: string, toolName: string): string {
  return `mcp__${serverName}__${toolName}`
}
