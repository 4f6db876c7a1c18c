import { toolDefinitions } from '../../../assembly/tool-definitions.js'
import type { ToolUseBlock } from '../../../contract/messages.js'
import { isDeferredTool } from '../../../contract/tool/deferred-tools.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import type { ServedCallOptions, ServedOutcome, ServedRuntime } from '../../../mcp/serve/listed-tools.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { deferredToolsText } from '../../../tool-search/announce-deferred-tools.js'

/** A runtime as it is served: each call of a client is a message of its own. */
export function servedRuntime(runtime: HaftRuntime): ServedRuntime {
  return {
    get pool() {
      return runtime.pool
    },
    async definitions() {
      const toolPermissionContext = runtime.permissions
      return (await toolDefinitions(runtime.pool, { toolPermissionContext, agentDefinitions: NO_AGENTS })).definitions
    },
    isDeferred: (tool) => runtime.deferral.defers && isDeferredTool(tool),
    tellOf: (names) => runtime.load(names.filter((name) => findToolByName(runtime.pool, name) !== undefined)),
    async announcement() {
      const announced = await runtime.announce([])
      return announced === undefined ? '' : (deferredToolsText(announced) ?? '')
    },
    call: (toolUse, options) => callOnce(runtime, toolUse, options),
  }
}

/** One list for all, so that definitions made with it are found again. */
const NO_AGENTS: readonly [] = Object.freeze([])

async function callOnce(
  runtime: HaftRuntime,
  toolUse: ToolUseBlock,
  { signal, onProgress }: ServedCallOptions,
): Promise<ServedOutcome> {
  const run = runtime.open({ signal })
  run.add(toolUse)
  run.end()
  for await (const event of run) if (event.type === 'call-progressed') onProgress?.(event.progress)
  const [outcome] = await run.outcomes()
  if (outcome === undefined) throw new Error('the call has no outcome')
  const [block = outcome.block] = await runtime.results.settle([outcome])
  return { block, ...(outcome.error !== undefined && { error: outcome.error }) }
}
