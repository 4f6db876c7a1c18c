import type { CallableDefinition } from '../../contract/ports/calls.js'
import type { JsonSchema } from '../../contract/schema.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'

const MAX_DEPTH = 8
const MAX_CHARS = 20_000

/** Returns the declaration of a tool as a TypeScript function, with its description as a comment. */
export function declareTool({ name, description, inputSchema, outputSchema, isMcp }: CallableDefinition): string {
  const comment = description.trim().replaceAll('*/', '* /')
  const input = toType(inputSchema, inputSchema, 0)
  const output = outputSchema === undefined ? (isMcp ? MCP_OUTPUT : 'unknown') : toType(outputSchema, outputSchema, 0)
  const isOptional = isRecord(inputSchema) && !Array.isArray(inputSchema.required)
  const declaration = `${toAccess(name)}(input${isOptional ? '?' : ''}: ${input}): Promise<${output}>`
  return cutText(`/**\n${comment}\n*/\n${declaration}`, MAX_CHARS)
}

/** The result type of MCP tools without an output schema: structured content, text, or all parts of the content. */
const MCP_OUTPUT = 'object | string | { type: string }[]'

/** Returns the expression by which code accesses a tool: `tools.Read`, or `tools["my-server__x"]`. */
export function toAccess(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`
}

/** Converts a JSON Schema to a TypeScript type. A schema without a simple equivalent becomes `unknown`. */
function toType(schema: unknown, root: JsonSchema, depth: number): string {
  if (!isRecord(schema) || depth > MAX_DEPTH) return 'unknown'
  if (typeof schema.$ref === 'string') return toType(resolveRef(schema.$ref, root), root, depth + 1)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return joinTypes(schema.enum.map((value) => JSON.stringify(value)))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives)) return joinTypes(alternatives.map((each) => toType(each, root, depth + 1)))
  if (Array.isArray(schema.type)) return joinTypes(schema.type.map((type) => toType({ ...schema, type }, root, depth)))
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `${addParentheses(toType(schema.items, root, depth + 1))}[]`
    case 'object':
      return toObjectType(schema, root, depth)
    default:
      return isRecord(schema.properties) ? toObjectType(schema, root, depth) : 'unknown'
  }
}

function toObjectType(schema: Readonly<Record<string, unknown>>, root: JsonSchema, depth: number): string {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : []
  const requiredNames = new Set(Array.isArray(schema.required) ? schema.required : [])
  const { additionalProperties } = schema
  const rest = isRecord(additionalProperties)
    ? [`[key: string]: ${toType(additionalProperties, root, depth + 1)}`]
    : properties.length === 0 && additionalProperties !== false
      ? ['[key: string]: unknown']
      : []
  const members = properties.map(([name, property]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    const member = `${key}${requiredNames.has(name) ? '' : '?'}: ${toType(property, root, depth + 1)}`
    return `${member}${describeProperty(property)}`
  })
  if (depth > 0) return `{ ${[...members.map(withoutComment), ...rest].join('; ')} }`
  return `{\n${[...members, ...rest].map((member) => `  ${member}`).join('\n')}\n}`
}

function describeProperty(property: unknown): string {
  if (!isRecord(property) || typeof property.description !== 'string') return ''
  return ` // ${property.description.replace(/\s+/g, ' ').trim()}`
}

function withoutComment(member: string): string {
  return member.replace(/ \/\/ .*$/s, '')
}

function joinTypes(types: readonly string[]): string {
  return [...new Set(types)].join(' | ') || 'unknown'
}

function addParentheses(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}

function resolveRef(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#/')) return undefined
  let value: unknown = root
  for (const part of ref.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}
