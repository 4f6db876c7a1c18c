import type { Tools } from '../contract/tool.js'
import { nearestNames } from '../shared/nearest-names.js'
import { UsageError } from './usage-error.js'

/** The complaint about a tool name that means nothing. */
export function unknownTool(name: string, tools: Tools): UsageError {
  const near = nearestNames(
    name,
    tools.map((tool) => tool.name),
  )
  const advice = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
  return new UsageError(`there is no tool ${JSON.stringify(name)}${advice} See haft tools.`)
}
