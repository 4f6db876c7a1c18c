import * as z from 'zod'
import { TOOL_SUMMARY_MAX_LENGTH } from '../../contract/limits.js'
import type { ToolResultBlock } from '../../contract/messages.js'
import type { ViewOptions } from '../../contract/tool/views.js'
import { block, code, text } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import { shortenText } from '../../shared/cut-text.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import type { CommandInput } from './command-input.js'

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
  const block = { type: 'tool_result', tool_use_id: toolUseId, content: formatResult(result) } as const
  return result.isFailure ? { ...block, is_error: true } : block
}

function formatResult({ output, notes, taskId }: CommandOutput): string {
  const trimmedOutput = output.replace(/\n+$/, '')
  if (trimmedOutput !== '') return [trimmedOutput, ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n')
  if (notes.length === 0) return 'The command succeeded without output.'
  return [...(taskId === undefined ? ['The command had no output.'] : []), ...notes].join('\n')
}

/** The first lines of a long output say what ran, and the last ones how it ended. */
const FIRST_LINES = 3
const LAST_LINES = 7
const MAX_BRIEF_LINES = 3

type PartialInput = Partial<CommandInput> | undefined

/** The views that all tools that run commands share. */
export const commandViews = {
  getToolUseSummary: (input: PartialInput): string | null =>
    asText(input?.description) ?? asText(input?.command) ?? null,
  getActivityDescription: (input: PartialInput): string =>
    asText(input?.description) ?? `Running ${shortenCommand(input)}`,
  /** Renders the command as it was sent, or only its first line in a list of calls. */
  renderToolUseMessage(input: Partial<CommandInput>, { verbose }: ViewOptions): View {
    const command = asText(input.command)?.trim() ?? ''
    const [firstLine = ''] = command.split('\n')
    return verbose || firstLine === command ? command : `${firstLine} …`
  },
  renderToolUseTag({ run_in_background, dangerouslyDisableSandbox }: Partial<CommandInput>): View {
    return [
      ...(run_in_background === true ? [text('(in the background)', 'muted')] : []),
      ...(dangerouslyDisableSandbox === true ? [text('(outside the sandbox)', 'warning')] : []),
    ]
  },
  renderToolUseProgressMessage(progress: readonly CommandProgress[], { verbose }: ViewOptions): View {
    const lastProgress = progress.at(-1)
    if (lastProgress === undefined) return text('Running…', 'muted')
    const lines = lastProgress.lastLines.split('\n')
    return block(
      code((verbose ? lines : lines.slice(-MAX_BRIEF_LINES)).join('\n')),
      text(`${formatBytes(lastProgress.receivedBytes)} so far`, 'muted'),
    )
  },
  renderToolUseRejectedMessage: ({ command }: Partial<CommandInput>): View =>
    code(asText(command) ?? '', { language: 'bash' }),
  renderToolResultMessage(
    result: CommandOutput,
    _progress: readonly CommandProgress[],
    { verbose }: ViewOptions,
  ): View {
    const output = result.output.replace(/\n+$/, '')
    const startText = describeStart(result)
    if (startText !== undefined) return text(startText, 'muted')
    const notes = result.notes.map((note) => text(note, result.isFailure ? 'error' : 'muted'))
    if (output === '' && notes.length === 0) return text('No output', 'muted')
    return block(...(output === '' ? [] : renderOutput(output, verbose)), ...notes)
  },
  isResultTruncated: ({ output, path }: CommandOutput): boolean =>
    path !== undefined || output.replace(/\n+$/, '').split('\n').length > FIRST_LINES + LAST_LINES,
  extractSearchText: (result: CommandOutput): string =>
    describeStart(result) ?? [result.output, ...result.notes].join('\n'),
}

/** Describes the start of a background command. Its notes, which tell the model which tools to use, are not shown. */
function describeStart({ taskId, output }: CommandOutput): string | undefined {
  return taskId === undefined || output.trim() !== '' ? undefined : `Running in the background as task ${taskId}`
}

function renderOutput(output: string, isWhole: boolean): readonly View[] {
  const lines = output.split('\n')
  const hiddenCount = lines.length - FIRST_LINES - LAST_LINES
  if (isWhole || hiddenCount <= 0) return [code(output)]
  return [
    code(lines.slice(0, FIRST_LINES).join('\n')),
    text(`… ${formatCounted(hiddenCount, 'more line')}`, 'muted'),
    code(lines.slice(-LAST_LINES).join('\n')),
  ]
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function shortenCommand(input: PartialInput): string {
  const [line = ''] = (asText(input?.command) ?? 'a command').trim().split('\n')
  return shortenText(line, TOOL_SUMMARY_MAX_LENGTH)
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 10_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return bytes < 10_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`
}

/** Progress of a command: its last lines and the total number of bytes. */
export interface CommandProgress {
  readonly type: 'output'
  readonly lastLines: string
  readonly receivedBytes: number
}

const MAX_PROGRESS_LINES = 5
const MAX_TAIL_BYTES = 4_096
const MAX_BYTES_BETWEEN_REPORTS = 64 * 1024

/**
 * Creates a function that reports output as it arrives. The number of bytes between two reports grows with the output. So a
 * slow command is reported line by line, and reports for a command that prints megabytes cost almost nothing.
 */
export function createProgressReporter(report: (progress: CommandProgress) => void): (chunk: Uint8Array) => void {
  let tail = new Uint8Array(0)
  let receivedBytes = 0
  let nextReportAt = 1
  return (chunk) => {
    receivedBytes += chunk.length
    tail = appendToTail(tail, chunk)
    if (receivedBytes < nextReportAt) return
    nextReportAt = receivedBytes + Math.min(receivedBytes >> 4, MAX_BYTES_BETWEEN_REPORTS) + 1
    report({ type: 'output', lastLines: getLastLines(tail), receivedBytes })
  }
}

/** Returns the new tail as a copy, because the port may reuse the chunk. */
function appendToTail(tail: Uint8Array, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const newBytes = chunk.subarray(-MAX_TAIL_BYTES)
  const oldBytes = tail.subarray(Math.max(0, tail.length - (MAX_TAIL_BYTES - newBytes.length)))
  const joinedBytes = new Uint8Array(oldBytes.length + newBytes.length)
  joinedBytes.set(oldBytes)
  joinedBytes.set(newBytes, oldBytes.length)
  return joinedBytes
}

function getLastLines(tail: Uint8Array): string {
  const text = toPlainOutput(new TextDecoder().decode(tail)).replace(/\n+$/, '')
  return text.split('\n').slice(-MAX_PROGRESS_LINES).join('\n')
}
