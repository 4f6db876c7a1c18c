import { ToolDefinitionError } from '../contract/errors.js'
import type { ToolIdentity } from '../contract/tool/identity.js'

/** The names and aliases that tools of one list have taken so far, by the tool that has them. */
export type TakenNames = Map<string, string>

/** Throws where a name or alias of the tool is taken already; else takes them. */
export function takeNames(tool: ToolIdentity, taken: TakenNames): void {
  const names = [tool.name, ...(tool.aliases ?? [])]
  for (const [index, name] of names.entries()) {
    const owner = taken.get(name)
    if (owner === undefined && names.indexOf(name) === index) continue
    const member = index === 0 ? 'name' : 'aliases'
    throw new ToolDefinitionError(
      'name_taken',
      tool.name,
      member,
      `${JSON.stringify(name)} is taken by the tool ${owner ?? tool.name} of the same list.`,
    )
  }
  for (const name of names) taken.set(name, tool.name)
}

/** Throws where two tools of one list answer to the same name or alias. */
export function checkDistinct(tools: readonly ToolIdentity[]): void {
  const taken: TakenNames = new Map()
  for (const tool of tools) takeNames(tool, taken)
}
