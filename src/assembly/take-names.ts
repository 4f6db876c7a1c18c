import { ToolDefinitionError } from '../contract/errors.js'
import type { ToolIdentity } from '../contract/tool/identity.js'

/** Maps each name and alias that a list uses to its tool. */
export type TakenNames = Map<string, string>

/** Registers the name and the aliases of a tool. Throws if one of them is already taken. */
export function takeNames(tool: ToolIdentity, takenNames: TakenNames): void {
  const names = [tool.name, ...(tool.aliases ?? [])]
  for (const [index, name] of names.entries()) {
    const owner = takenNames.get(name)
    if (owner === undefined && names.indexOf(name) === index) continue
    const member = index === 0 ? 'name' : 'aliases'
    throw new ToolDefinitionError(
      'name_taken',
      tool.name,
      member,
      `${JSON.stringify(name)} is already used by the tool ${owner ?? tool.name} of the same list.`,
    )
  }
  for (const name of names) takenNames.set(name, tool.name)
}

/** Throws if two tools of a list share a name or alias. */
export function checkDistinct(tools: readonly ToolIdentity[]): void {
  const takenNames: TakenNames = new Map()
  for (const tool of tools) takeNames(tool, takenNames)
}
