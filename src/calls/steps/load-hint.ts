/** How a model gets the schema of a deferred tool. */
export function loadHint(toolName: string): string {
  return `Load it first with ToolSearch, query "select:${toolName}", then call again.`
}
