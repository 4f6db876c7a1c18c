import { ruleNamesOf } from '../contract/tool/rule-names.js'
import type { Tool } from '../contract/tool/tool.js'

const namesByTool = new WeakMap<Tool, readonly string[]>()

/** The names by which rules mean the tool, found once for each tool. */
export function namesOf(tool: Tool): readonly string[] {
  let names = namesByTool.get(tool)
  if (names === undefined) {
    names = ruleNamesOf(tool)
    namesByTool.set(tool, names)
  }
  return names
}
