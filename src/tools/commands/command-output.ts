import * as z from 'zod'
import { TOOL_SUMMARY_MAX_LENGTH } from '../../contract/limits.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { ViewOptions } from '../../contract/tool/views.js'
import { shortenText } from '../../shared/cut-text.js'
import type { CommandInput } from './command-input.js'
import type { CommandProgress } from './command-progress.js'

/** The output of every tool that runs commands. */
export interface CommandOutput {
  /** stdout and stderr in order of arrival, without colours. */
  readonly output: string
  readonly exitCode: number | null
  readonly signal: string | null
  /** Whether the command failed. If so, later calls of the same message that depend on it are cancelled. */
  readonly isFailure: boolean
  /** Notes for the model, shown below the output. */
  readonly notes: readonly string[]
  readonly receivedBytes: number
  /** The file that contains the whole output, if the output is too long to show. */
  readonly path?: string | undefined
  /** Set if the command continues in the background. */
  readonly taskId?: string | undefined
}

export function createCommandOutputSchema() {
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

/** Returns the result block: the output, followed by the notes. */
export function createCommandResult(result: CommandOutput, toolUseId: string): ToolResultBlock {
  const block = { type: 'tool_result', tool_use_id: toolUseId, content: textOf(result) } as const
  return result.isFailure ? { ...block, is_error: true } : block
}

function textOf({ output, notes, taskId }: CommandOutput): string {
  const trimmedOutput = output.replace(/\n+$/, '')
  if (trimmedOutput !== '') return [trimmedOutput, ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n')
  if (notes.length === 0) return 'The command succeeded without output.'
  return [...(taskId === undefined ? ['The command had no output.'] : []), ...notes].join('\n')
}

const MAX_SHOWN_LINES = 10

type PartialInput = Partial<CommandInput> | undefined

/** The views that all tools that run commands share. */
export const commandViews = {
  getToolUseSummary: (input: PartialInput): string | null =>
    asText(input?.description) ?? asText(input?.command) ?? null,
  getActivityDescription: (input: PartialInput): string =>
    asText(input?.description) ?? `Running ${shortenCommand(input)}`,
  renderToolUseProgressMessage(progress: readonly CommandProgress[], { verbose }: ViewOptions): string {
    const lastProgress = progress.at(-1)
    if (lastProgress === undefined) return 'Running…'
    const lines = lastProgress.lastLines.split('\n')
    return [...(verbose ? lines : lines.slice(-3)), `${formatBytes(lastProgress.receivedBytes)} so far`].join('\n')
  },
  renderToolResultMessage(result: CommandOutput, _progress: readonly CommandProgress[], view: ViewOptions): string {
    const lines = result.output.replace(/\n+$/, '').split('\n')
    const hiddenCount = view.verbose ? 0 : Math.max(0, lines.length - MAX_SHOWN_LINES)
    const shownLines = hiddenCount > 0 ? [...lines.slice(0, MAX_SHOWN_LINES), `… ${hiddenCount} more lines`] : lines
    return [...shownLines, ...result.notes].filter((line, index) => index > 0 || line !== '').join('\n')
  },
  isResultTruncated: ({ output, path }: CommandOutput): boolean =>
    path !== undefined || output.replace(/\n+$/, '').split('\n').length > MAX_SHOWN_LINES,
  extractSearchText: ({ output, notes }: CommandOutput): string => [output, ...notes].join('\n'),
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function shortenCommand(input: PartialInput): string {
  const [line = ''] = (asText(input?.command) ?? 'a command').trim().split('\n')
  return shortenText(line, TOOL_SUMMARY_MAX_LENGTH)
}

function formatBytes(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`
  return bytes < 10_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`
}
