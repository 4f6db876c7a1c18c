/** JSON Schema as plain data; Haft reads little of it and passes it on as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** True for a schema whose root describes an object: providers accept no other for a tool's input. */
export function describesObject(schema: JsonSchema): boolean {
  return schema.type === 'object'
}
