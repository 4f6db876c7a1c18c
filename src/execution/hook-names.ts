import { ruleNamesOf } from '../contract/rule-names.js'
import type { Tool } from '../contract/tool.js'

const names = new WeakMap<Tool, readonly string[]>()

/** The further names by which a hook's matcher may mean a tool: old names, and those of its server. */
export function hookNames(tool: Tool): readonly string[] {
  let known = names.get(tool)
  if (known === undefined) {
    known = ruleNamesOf(tool).filter((name) => name !== tool.name)
    names.set(tool, known)
  }
  return known
}
