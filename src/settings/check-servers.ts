import { mcpEntryKeys, readMcpEntry } from '../contract/mcp-server-entry.js'
import { pathText } from './path-text.js'
import type { ProblemLog } from './problem-log.js'
import { reportUnknown } from './report-unknown.js'

/** Tells what is wrong with MCP servers, each by itself. The entries stay: a wrong one keeps weaker sources from its name. */
export function checkServers(servers: Readonly<Record<string, unknown>>, log: ProblemLog): void {
  for (const [name, value] of Object.entries(servers)) {
    const path = ['mcpServers', name]
    const read = readMcpEntry(value)
    if ('entry' in read) reportUnknown(read.entry, mcpEntryKeys(read.entry), path, log)
    else
      for (const issue of read.issues) {
        const at = [...path, ...issue.path]
        log.add('error', `${pathText(at)}: ${issue.message}. The server is not started.`, at)
      }
  }
}
