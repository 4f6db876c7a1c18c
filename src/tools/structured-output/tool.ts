import * as z from 'zod'
import { createStructuredOutput } from '../../contract/attachments.js'
import { textResult } from '../../contract/messages.js'
import { type JsonSchema, lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { Tool, ToolCoreContext, ValidationResult } from '../../contract/tool/tool.js'
import { toAnswerSchema } from './answer-schema.js'
import { prompt } from './prompt.js'

const definition = {
  name: 'StructuredOutput',
  searchHint: 'return the final answer as data',
  alwaysLoad: true,
  mainAgentOnly: true,
  modes: { onDemand: true },
  description: 'Returns the final answer',
  prompt,

  outputSchema: lazySchema(() => z.unknown()),

  isReadOnly: () => true,
  validateInput(_: unknown, { agentId }: ToolCoreContext): ValidationResult {
    if (agentId === undefined) return { result: true }
    return {
      result: false,
      errorCode: 1,
      message: 'Only the main agent returns the final answer. Answer in plain text.',
    }
  },
  // The tool has no effect except that it passes on the model's answer.
  checkPermissions: <Input>(input: Input) => ({ behavior: 'allow' as const, updatedInput: input }),
  userFacingName: () => 'Answer',
  renderToolUseMessage: () => '',

  mapToolResultToToolResultBlockParam: (_: unknown, toolUseId: string) =>
    textResult(toolUseId, 'The answer was accepted. There is nothing more to do.'),
}

/** The tool without a caller's schema. It is a placeholder in the list of built-in tools; no pool contains it. */
export const StructuredOutputTool = buildTool({
  ...definition,

  inputSchema: lazySchema(() => z.strictObject({ value: z.unknown().describe('The answer, in any form') })),

  call: async ({ value }) => acceptAnswer(value),
})

/**
 * Creates the tool that accepts answers of this schema, for a host to add to its tools. Check the schema with
 * `findOutputSchemaProblem` first.
 */
export function createStructuredOutputTool(schema: JsonSchema): Tool {
  const { input, isWrapped } = toAnswerSchema(schema)
  return buildTool({
    ...definition,
    inputJSONSchema: input,
    call: async (answer: Readonly<Record<string, unknown>>) => acceptAnswer(isWrapped ? answer.value : answer),
  })
}

function acceptAnswer(value: unknown) {
  return { data: value, newMessages: [createStructuredOutput(value)] }
}
