import type { AssistantMessage, Message, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { View } from '../../contract/views.js'
import { formatCounted } from '../../shared/counted.js'
import { type CallFacts, describeCall, searchTextOf } from '../../views/call-view.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { markerOf, textOfRefusal, textOfResult } from './call-item.js'
import { BLANK_LINE, createMutedSpan, withMarker } from './format.js'
import { type FindShown, findResultsAfter, textOfPrompt } from './replay.js'

/** A part of the conversation in the transcript view. It is drawn only when it is visible. */
export interface TranscriptBlock {
  render(width: number, isExpanded: boolean): readonly StyledLine[]
  readonly isExpandable: boolean
  readonly searchText: string
  readonly text: string
}

interface TranscriptSources {
  readonly findTool: (name: string) => Tool | undefined
  readonly findShown: FindShown
  /** Paths inside this folder are shown relative to it. */
  readonly cwd: string
}

/** Creates the blocks of the whole conversation, with the reasoning of the model and the results of calls. */
export function createTranscriptBlocks(
  messages: readonly Message[],
  sources: TranscriptSources,
): readonly TranscriptBlock[] {
  return messages.flatMap((message, index): readonly TranscriptBlock[] => {
    if (message.type === 'user') {
      const text = textOfPrompt(message)
      return text === '' ? [] : [createTextBlock('▌ ', { type: 'text', text, bold: true }, text)]
    }
    if (message.type === 'system')
      return [createTextBlock('· ', { type: 'text', text: message.content, tone: 'muted' }, message.content)]
    return message.type === 'assistant'
      ? message.content.flatMap((block) => createAnswerBlocks(block, findResultsAfter(messages, index), sources))
      : []
  })
}

function createAnswerBlocks(
  block: AssistantMessage['content'][number],
  results: ReadonlyMap<string, ToolResultBlock>,
  { findTool, findShown, cwd }: TranscriptSources,
): readonly TranscriptBlock[] {
  if (block.type === 'text') return [createTextBlock('', { type: 'markdown', text: block.text }, block.text)]
  if (block.type === 'thinking') return block.thinking.trim() === '' ? [] : [createThinkingBlock(block.thinking)]
  if (block.type !== 'tool_use') return []
  const result = results.get(block.id)
  const shown = result === undefined ? undefined : findShown(result)
  return [createCallBlock(block, { result, tool: findTool(block.name), shown, cwd })]
}

function createTextBlock(marker: string, view: View, text: string): TranscriptBlock {
  return {
    render(width) {
      const rows = renderView(view, { width: width - marker.length, verbose: true })
      return [...withMarker({ text: marker, style: { tone: 'accent' } }, rows), BLANK_LINE]
    },
    isExpandable: false,
    searchText: text.toLowerCase(),
    text,
  }
}

function createThinkingBlock(text: string): TranscriptBlock {
  const lines = text.trim().split('\n')
  return {
    render(width, isExpanded) {
      if (!isExpanded)
        return [[createMutedSpan(`✻ Reasoning (${formatCounted(lines.length, 'line')}, e expands)`)], BLANK_LINE]
      const rows = renderView(
        { type: 'text', text: text.trim(), tone: 'muted', italic: true },
        { width: width - 2, verbose: true },
      )
      return [...withMarker(createMutedSpan('✻ '), rows), BLANK_LINE]
    },
    isExpandable: true,
    searchText: text.toLowerCase(),
    text,
  }
}

function createCallBlock(
  { id, name, input }: ToolUseBlock,
  call: {
    readonly result: ToolResultBlock | undefined
    readonly tool: Tool | undefined
    readonly shown: CallFacts['shown']
    readonly cwd: string
  },
): TranscriptBlock {
  const { result, tool, shown, cwd } = call
  const resultText = result === undefined ? undefined : textOfResult(result)
  const hasFailed = result === undefined || result.is_error === true
  const state = !hasFailed ? 'done' : shown?.isRefused === true ? 'rejected' : 'failed'
  const failureText = textOfRefusal(shown)
  const facts: CallFacts = {
    ...{ toolName: name, tool, toolUseId: id, state, input, shown, resultText },
    ...(failureText !== undefined && { failureText }),
  }
  return {
    render(width, isExpanded) {
      const { title, body } = describeCall(facts, { verbose: isExpanded })
      const draw = (view: View, columns: number) => renderView(view, { width: columns, verbose: isExpanded, cwd })
      return [
        ...withMarker(markerOf(state), draw(title, width - 2)),
        ...(isExpanded ? withMarker(createMutedSpan('    '), draw(createInputView(input), width - 4)) : []),
        ...(body === undefined ? [] : withMarker(createMutedSpan('  └ '), draw(body, width - 4))),
        BLANK_LINE,
      ]
    },
    isExpandable: true,
    searchText: `${JSON.stringify(input) ?? ''}\n${searchTextOf(facts)}`.toLowerCase(),
    text: resultText ?? '',
  }
}

function createInputView(input: unknown): View {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : []
  return {
    type: 'fields',
    fields: fields.map(([label, value]) => ({
      label,
      value: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    })),
  }
}
