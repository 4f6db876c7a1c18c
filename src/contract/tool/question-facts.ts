import { shortenText } from '../../shared/cut-text.js'
import type { CommandAnalysis } from '../command.js'
import type { DescriptionOptions, Tool } from './tool.js'
import { isCallDestructive, requiresUser } from './traits.js'

/** What a tool says about a call for the question whether it may run. */
export interface QuestionFacts {
  /** What the call does, in one line; undefined if the tool does not say. */
  readonly description?: string
  /** Whether the call may delete data, so that the question must warn of it. */
  readonly isDestructive: boolean
  /** Whether only the user may answer, because the call needs them. */
  readonly requiresUser: boolean
}

/** A call about which a question is asked. */
interface QuestionedCall {
  readonly tool: Tool
  readonly input: unknown
  readonly command?: CommandAnalysis | undefined
}

/** Asks the tool what a question about the call must say. Every surface shows the same facts. */
export async function findQuestionFacts(call: QuestionedCall, options: DescriptionOptions): Promise<QuestionFacts> {
  const description = await describeInput(call, options)
  return {
    ...(description !== undefined && { description }),
    isDestructive: mayDeleteData(call),
    requiresUser: requiresUser(call.tool),
  }
}

const MAX_DESCRIPTION_CHARS = 300

async function describeInput(
  { tool, input }: QuestionedCall,
  options: DescriptionOptions,
): Promise<string | undefined> {
  try {
    const text = (await tool.description(input, options)).replace(/\s+/g, ' ').trim()
    return text === '' ? undefined : shortenText(text, MAX_DESCRIPTION_CHARS)
  } catch {
    // A question can be answered without a description.
    return undefined
  }
}

/** Tools that run commands treat every change as destructive, so for a command only deleting files counts. */
function mayDeleteData({ tool, input, command }: QuestionedCall): boolean {
  if (command !== undefined) return command.commands.some(({ deletesFiles }) => deletesFiles === true)
  return isCallDestructive(tool, input)
}
