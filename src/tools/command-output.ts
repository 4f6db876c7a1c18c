import * as z from 'zod'
import type { ToolResultBlock } from '../contract/messages.js'

/** What came of a command. */
export interface CommandOutput {
  /** Both streams in the order in which they came, without colours. */
  readonly output: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** Later calls that counted on it are not run. */
  readonly isFailure: boolean
  /** What the model is told beside the output. */
  readonly notes: readonly string[]
  readonly receivedBytes: number
  /** The file with all of the output, where that is too long to show. */
  readonly path?: string | undefined
  /** Set where the command goes on in the background. */
  readonly taskId?: string | undefined
}

export function commandOutput() {
  return z.object({
    output: z.string(),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    isFailure: z.boolean(),
    notes: z.array(z.string()).readonly(),
    receivedBytes: z.number(),
    path: z.string().optional(),
    taskId: z.string().optional(),
  })
}

/** The output, and below it what has to be said about it. */
export function commandResult(result: CommandOutput, toolUseId: string): ToolResultBlock {
  const block = { type: 'tool_result', tool_use_id: toolUseId, content: textOf(result) } as const
  return result.isFailure ? { ...block, is_error: true } : block
}

function textOf({ output, notes, taskId }: CommandOutput): string {
  const printed = output.replace(/\n+$/, '')
  if (printed !== '') return [printed, ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n')
  if (notes.length === 0) return 'The command succeeded and printed nothing.'
  return [...(taskId === undefined ? ['The command printed nothing.'] : []), ...notes].join('\n')
}
