import { inputJSONSchemaOf } from '../../contract/tool/input-json-schema.js'
import { builtInTools } from '../../tools/index.js'

/**
 * The input JSON Schemas of the built-in tools, as text, by tool name. The build replaces this code with its value, so
 * that the schemas are not computed at every start.
 */
export const inputSchemas: Readonly<Record<string, string>> = Object.fromEntries(
  builtInTools.map((tool) => [tool.name, JSON.stringify(inputJSONSchemaOf(tool))]),
)
