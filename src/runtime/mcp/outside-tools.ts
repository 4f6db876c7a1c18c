import type { Tools } from '../../contract/tool/tool.js'
import type { RuntimeMcp } from './runtime-mcp.js'

/** Tools that the host brings and those of its servers. While neither changes, the same array. */
export function outsideTools(given: (() => Tools) | undefined, mcp: RuntimeMcp | undefined): () => Tools {
  if (mcp === undefined) return given ?? noTools
  if (given === undefined) return () => mcp.tools()
  let known: { readonly own: Tools; readonly served: Tools; readonly all: Tools } | undefined
  return () => {
    const own = given()
    const served = mcp.tools()
    if (known?.own !== own || known.served !== served) known = { own, served, all: Object.freeze([...own, ...served]) }
    return known.all
  }
}

const NO_TOOLS: Tools = Object.freeze([])
const noTools = () => NO_TOOLS
