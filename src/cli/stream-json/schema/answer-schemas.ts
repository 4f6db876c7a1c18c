import * as z from 'zod'

let cachedSchemas: ReturnType<typeof createAnswerSchemas> | undefined

/** Returns the schemas of what a driving program answers, created on first use. */
export function getAnswerSchemas(): ReturnType<typeof createAnswerSchemas> {
  cachedSchemas ??= createAnswerSchemas()
  return cachedSchemas
}

export type QuestionAnswers = NonNullable<z.output<ReturnType<typeof createAnswerSchemas>['answers']>['answers']>

function createAnswerSchemas() {
  return {
    permission: createPermissionSchema(),
    answers: createAnswersSchema(),
    elicitation: createElicitationSchema(),
    mcp: z.object({ mcp_response: z.record(z.string(), z.unknown()) }).describe('The answer to mcp_message.'),
    hook: z
      .record(z.string(), z.unknown())
      .describe('The answer to hook_callback: what a command hook would print, see docs/hooks.md.'),
  }
}

function createPermissionSchema() {
  return z
    .discriminatedUnion('behavior', [
      z.object({
        behavior: z.literal('allow'),
        updatedInput: z.record(z.string(), z.unknown()).nullish().describe('Input that replaces the original input.'),
        updatedPermissions: z
          .array(z.record(z.string(), z.unknown()))
          .nullish()
          .describe('The permission_suggestions to apply to this and later calls.'),
      }),
      z.object({
        behavior: z.literal('deny'),
        message: z.string().nullish().describe('The message for the model.'),
        interrupt: z.boolean().nullish().describe('Whether to interrupt the prompt.'),
      }),
    ])
    .describe('The answer to can_use_tool.')
}

function createAnswersSchema() {
  const answer = z.object({
    question: z.string().describe('The question as it was asked.'),
    chosen: z.array(z.string()).describe('The chosen labels.'),
    other: z.string().optional().describe("The user's own answer."),
  })
  return z
    .object({ answers: z.array(answer).nullable().describe('null: the user dismissed the questions.') })
    .describe('The answer to ask_user_question.')
}

function createElicitationSchema() {
  return z
    .object({
      action: z.enum(['accept', 'decline', 'cancel']),
      content: z.record(z.string(), z.unknown()).nullish().describe('The values of the form.'),
    })
    .describe('The answer to elicitation.')
}
