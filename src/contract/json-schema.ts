/** JSON Schema as plain data; Haft reads little of it and passes it on as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** True for a schema whose root describes an object: providers accept no other for a tool's input. */
export function describesObject(schema: JsonSchema): boolean {
  return schema.type === 'object'
}

/** Far beyond what people write, and far below what JSON.stringify takes. */
const MAX_DEPTH = 200

/** Whether a schema could not be sent: what a server nests for ever would fail the request, and all other tools with it. */
export function isTooDeep(schema: unknown, room = MAX_DEPTH): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return room === 0 || Object.values(schema).some((part) => isTooDeep(part, room - 1))
}
