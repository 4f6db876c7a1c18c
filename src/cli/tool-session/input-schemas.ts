import { inputJSONSchemaOf } from '../../contract/tool/input-json-schema.js'
import { builtInTools } from '../../tools/index.js'

/**
 * The JSON Schemas of the built-in tools' inputs, by name, as text. The build puts the value in place of this code, so
 * that no start-up makes what is always the same.
 */
export const inputSchemas: Readonly<Record<string, string>> = Object.fromEntries(
  builtInTools.map((tool) => [tool.name, JSON.stringify(inputJSONSchemaOf(tool))]),
)
