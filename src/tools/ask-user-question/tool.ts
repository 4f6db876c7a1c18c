import * as z from 'zod'
import { ToolCallError } from '../../contract/errors.js'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block } from '../../contract/view-builders.js'
import { prompt } from './prompt.js'

const createQuestionSchema = () =>
  z.strictObject({
    question: z.string().min(1).describe('The whole question, ending in a question mark'),
    header: z.string().min(1).max(12).describe('A label of at most 12 characters, such as "Auth method"'),
    options: z
      .array(
        z.strictObject({
          label: z.string().min(1).describe('The answer in one to five words'),
          description: z.string().describe('What this choice means'),
        }),
      )
      .min(2)
      .max(4)
      .describe('Two to four answers, mutually exclusive unless multiSelect is set'),
    multiSelect: z.boolean().default(false).describe('Whether several answers may be chosen'),
  })

export const AskUserQuestionTool = buildTool({
  name: 'AskUserQuestion',
  searchHint: 'ask the user multiple choice questions',
  needs: ['ask'],
  modes: { coordinating: true },
  description: 'Asks the user',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({ questions: z.array(createQuestionSchema()).min(1).max(4).describe('One to four questions') }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      answers: z.array(z.object({ question: z.string(), chosen: z.array(z.string()), other: z.string().optional() })),
    }),
  ),

  isReadOnly: () => true,
  requiresUserInteraction: () => true,
  // A message from the user takes the place of an answer.
  interruptBehavior: () => 'cancel',
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  validateInput({ questions }) {
    const duplicateText =
      findFirstDuplicate(questions.map((each) => each.question)) ??
      questions.map(({ options }) => findFirstDuplicate(options.map(({ label }) => label))).find(Boolean)
    if (duplicateText === undefined) return { result: true }
    return {
      result: false,
      errorCode: 1,
      message: `Duplicate ${JSON.stringify(duplicateText)}: questions and labels must be unique.`,
    }
  },

  async call({ questions }, { ask, signal }) {
    if (!ask.canAsk)
      throw new ToolCallError('unavailable', 'No user can answer here. Decide yourself and say what you assumed.')
    const answers = await ask.askQuestions(questions, { signal })
    if (answers === undefined)
      throw new ToolCallError(
        'cancelled',
        'The user declined to answer. Ask in plain text what they would like instead.',
      )
    return { data: { answers: answers.map((answer) => ({ ...answer, chosen: [...answer.chosen] })) } }
  },

  mapToolResultToToolResultBlockParam({ answers }, toolUseId) {
    return textResult(toolUseId, answers.map(formatAnswer).join('\n'))
  },

  userFacingName: () => 'Question',
  getActivityDescription: () => 'Waiting for your answer',
  renderToolUseMessage({ questions }) {
    const [first] = (Array.isArray(questions) ? questions : []) as readonly { readonly question?: unknown }[]
    return typeof first?.question === 'string' ? first.question : ''
  },
  renderToolResultMessage: ({ answers }) => block(...answers.map(formatAnswer)),
  extractSearchText: ({ answers }) => answers.map(formatAnswer).join('\n'),
})

function formatAnswer(answer: { question: string; chosen: readonly string[]; other?: string | undefined }): string {
  const parts = answer.other === undefined ? answer.chosen : [...answer.chosen, answer.other]
  return `${answer.question} ${parts.length === 0 ? '(no answer)' : parts.join(', ')}`
}

function findFirstDuplicate(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index)
}
