import type { ToolDefinition } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'

export const CALL_BY_NAME = 'CallTool'

/** For clients that only call what their list has. */
export const CALL_BY_NAME_DEFINITION: ToolDefinition = {
  name: CALL_BY_NAME,
  description:
    'Calls any tool by its name, also one that is not in your list of tools. Find the tool and its parameters with ToolSearch first.',
  input_schema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the tool, as ToolSearch gives it' },
      arguments: { type: 'object', description: "The tool's own parameters, by its schema" },
    },
    required: ['name'],
    additionalProperties: false,
  },
}

export interface NamedCall {
  readonly name: string
  readonly input: unknown
}

/** The call that is meant; a text where it cannot be told. */
export function calledByName({ name, input }: NamedCall): NamedCall | string {
  if (name !== CALL_BY_NAME) return { name, input }
  const { name: inner, arguments: args = {} } = isRecord(input) ? input : {}
  if (typeof inner !== 'string' || inner === '')
    return `${CALL_BY_NAME} needs the name of a tool: {"name": "…", "arguments": {…}}.`
  return inner === CALL_BY_NAME ? `${CALL_BY_NAME} cannot call itself.` : { name: inner, input: args }
}
