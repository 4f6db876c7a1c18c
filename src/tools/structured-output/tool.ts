import * as z from 'zod'
import { structuredOutput } from '../../contract/attachments.js'
import { textResult } from '../../contract/messages.js'
import { type JsonSchema, lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tool, ToolCoreContext, ValidationResult } from '../../contract/tool/tool.js'
import { answerSchema } from './answer-schema.js'
import { prompt } from './prompt.js'

const definition = {
  name: 'StructuredOutput',
  searchHint: 'give the final answer as data',
  alwaysLoad: true,
  mainAgentOnly: true,
  modes: { onDemand: true },
  description: 'Gives the final answer',
  prompt,

  outputSchema: lazySchema(() => z.unknown()),

  isReadOnly: () => true,
  validateInput(_: unknown, { agentId }: ToolCoreContext): ValidationResult {
    if (agentId === undefined) return { result: true }
    return { result: false, errorCode: 1, message: 'The caller reads the main agent alone. Answer in plain text.' }
  },
  // It only hands over what the model has to say.
  checkPermissions: <Input>(input: Input) => ({ behavior: 'allow' as const, updatedInput: input }),
  renderToolUseMessage: () => 'Answer',

  mapToolResultToToolResultBlockParam: (_: unknown, toolUseId: string) =>
    textResult(toolUseId, 'The answer was taken. There is nothing more to do.'),
}

/** The tool where the caller has no schema: its place in the list of built-ins, which no pool offers by itself. */
export const StructuredOutputTool = buildTool({
  ...definition,
  inputSchema: lazySchema(() => z.strictObject({ value: z.unknown().describe('The answer, in any form') })),
  call: async ({ value }) => taken(value),
})

/** The tool that takes answers of this schema, for a host to put beside its other tools. See `outputSchemaProblem`. */
export function structuredOutputTool(schema: JsonSchema): Tool {
  const { input, isWrapped } = answerSchema(schema)
  return buildTool({
    ...definition,
    inputJSONSchema: input,
    call: async (answer: Readonly<Record<string, unknown>>) => taken(isWrapped ? answer.value : answer),
  })
}

function taken(value: unknown) {
  return { data: value, newMessages: [structuredOutput(value)] }
}
