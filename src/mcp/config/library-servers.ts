import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import type { ConfiguredServer, HttpServerConfig, McpServerConfig, StdioServerConfig } from './server-config.js'

/** A server as a program names it: a command to start, or an address. */
export type McpServerOption =
  | (Partial<StdioServerConfig> & Pick<StdioServerConfig, 'command'>)
  | (Partial<HttpServerConfig> & Pick<HttpServerConfig, 'url'>)

/** Servers that the code which uses the library names; who wrote that code has approved them. */
export function libraryServers(options: Readonly<Record<string, McpServerOption>>): readonly ConfiguredServer[] {
  return Object.entries(options).map(([name, option]) => ({
    name,
    config: whole(name, option),
    source: 'library',
    approved: true,
  }))
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function whole(name: string, option: McpServerOption): McpServerConfig {
  if (isRecord(option) && 'command' in option && typeof option.command === 'string') {
    return { args: [], env: {}, ...option, type: 'stdio' }
  }
  if (isRecord(option) && 'url' in option && isWebAddress(String(option.url))) {
    return { headers: {}, type: 'http', ...option }
  }
  throw new Error(`The MCP server ${quote(name)} needs a command to start, or the http or https url it listens at.`)
}
