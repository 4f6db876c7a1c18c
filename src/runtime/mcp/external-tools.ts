import type { Tools } from '../../contract/tool/tool.js'
import type { RuntimeMcp } from './runtime-mcp.js'

/** The further tools of the host and the tools of its MCP servers. Returns the same array while neither changes. */
export function externalTools(given: (() => Tools) | undefined, mcp: RuntimeMcp | undefined): () => Tools {
  if (mcp === undefined) return given ?? noTools
  if (given === undefined) return () => mcp.tools()
  let cached: { readonly own: Tools; readonly served: Tools; readonly all: Tools } | undefined
  return () => {
    const own = given()
    const served = mcp.tools()
    if (cached?.own !== own || cached.served !== served)
      cached = { own, served, all: Object.freeze([...own, ...served]) }
    return cached.all
  }
}

const NO_TOOLS: Tools = Object.freeze([])
const noTools = () => NO_TOOLS
