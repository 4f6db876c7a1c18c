import type { Flag } from '../../../contract/build-flags.js'
import { ENVIRONMENT_FLAGS, RUNTIME_FLAGS } from '../../../contract/flags.js'
import type { ToolDefinition } from '../../../contract/messages.js'
import type { JsonSchema } from '../../../contract/schema.js'
import { findToolByName } from '../../../contract/tool/identity.js'
import type { Tools } from '../../../contract/tool/tool.js'
import { builtInTools } from '../../../tools/index.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { createUnknownToolError } from '../../tool-session/unknown-tool.js'
import type { ListedTool } from './current-pool.js'
import { describeTools } from './describe-tools.js'
import { listTraits, type ToolRow, toToolRow } from './tool-table.js'

/** Shows one tool: its traits, its parameters and its description for the model. */
export async function showTool(
  io: CommandIo,
  name: string,
  { json, pool, servedTools }: { json: boolean; pool: readonly ListedTool[]; servedTools: Tools },
): Promise<number> {
  const allTools = [...builtInTools, ...servedTools]
  const tool = findToolByName(allTools, name)
  const listedTool = findToolByName(pool, name)
  if (tool === undefined) throw createUnknownToolError(name, allTools)
  if (listedTool === undefined) throw new UsageError(`${tool.name} is disabled here${describeFlags(tool.name)}.`)

  const { definitions, problems } = await describeTools([tool])
  const [definition] = definitions
  if (definition === undefined) throw problems[0] ?? new Error(`internal error: ${tool.name} has no definition.`)
  const row = toToolRow(listedTool)
  io.out(json ? `${JSON.stringify({ ...row, definition }, null, 2)}\n` : describeTool(row, definition))
  return EXIT.done
}

/** Returns the names of the flags that enable or disable a tool. */
function describeFlags(name: string): string {
  const flags: [string, Flag][] = Object.entries({ ...ENVIRONMENT_FLAGS, ...RUNTIME_FLAGS })
  const relevantFlags = flags.filter(([, { adds, removes, replaces }]) =>
    [adds, removes, replaces].some((list) => list?.includes(name)),
  )
  return relevantFlags.length === 0 ? '' : `; it depends on ${relevantFlags.map(([flag]) => flag).join(' or ')}`
}

function describeTool(row: ToolRow, definition: ToolDefinition): string {
  const head = [row.name, ...(row.aliases.length === 0 ? [] : [`also ${row.aliases.join(', ')}`])].join(', ')
  const facts = [...(row.searchHint === undefined ? [] : [row.searchHint]), row.source, ...listTraits(row)]
  return `${[head, facts.join(' · '), '', 'Parameters:', ...formatParameters(definition.input_schema), '', 'Description for the model:', indent(definition.description)].join('\n')}\n`
}

function formatParameters(schema: JsonSchema): readonly string[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const requiredNames = new Set(schema.required as readonly string[] | undefined)
  if (properties.length === 0) return ['  none']
  return properties.map(([name, property]) => {
    const kind = typeof property.type === 'string' ? property.type : 'value'
    const text = property.description === undefined ? '' : `: ${property.description}`
    return `  ${name} (${kind}${requiredNames.has(name) ? '' : ', optional'})${text}`
  })
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
