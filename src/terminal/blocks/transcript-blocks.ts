import type { Message, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { View } from '../../contract/views.js'
import { type CallFacts, describeCall, searchTextOf } from '../../views/call-view.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { textOfResult } from './call-item.js'
import { BLANK_LINE, muted, withMarker } from './format.js'
import { collectResults, textOfPrompt } from './replay.js'

/** A part of the conversation in the transcript view. It is drawn only when it is visible. */
export interface TranscriptBlock {
  render(width: number, isExpanded: boolean): readonly StyledLine[]
  readonly isExpandable: boolean
  readonly searchText: string
  readonly text: string
}

/** The whole conversation, with the reasoning of the model and the results of calls. */
export function createTranscriptBlocks(
  messages: readonly Message[],
  findTool: (name: string) => Tool | undefined,
): readonly TranscriptBlock[] {
  const results = collectResults(messages)
  return messages.flatMap((message): readonly TranscriptBlock[] => {
    if (message.type === 'user') {
      const text = textOfPrompt(message)
      return text === '' ? [] : [createTextBlock('▌ ', { type: 'text', text, bold: true }, text)]
    }
    if (message.type === 'system')
      return [createTextBlock('· ', { type: 'text', text: message.content }, message.content)]
    if (message.type !== 'assistant') return []
    return message.content.flatMap((block): readonly TranscriptBlock[] => {
      if (block.type === 'text') return [createTextBlock('', { type: 'markdown', text: block.text }, block.text)]
      if (block.type === 'thinking') return block.thinking.trim() === '' ? [] : [createThinkingBlock(block.thinking)]
      if (block.type === 'tool_use') return [createCallBlock(block, results.get(block.id), findTool(block.name))]
      return []
    })
  })
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
      if (!isExpanded) return [[muted(`✻ Reasoning (${lines.length} lines, e expands)`)], BLANK_LINE]
      const rows = renderView(
        { type: 'text', text: text.trim(), tone: 'muted', italic: true },
        { width: width - 2, verbose: true },
      )
      return [...withMarker(muted('✻ '), rows), BLANK_LINE]
    },
    isExpandable: true,
    searchText: text.toLowerCase(),
    text,
  }
}

function createCallBlock(
  { id, name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
  tool: Tool | undefined,
): TranscriptBlock {
  const resultText = result === undefined ? undefined : textOfResult(result)
  const state = result === undefined || result.is_error === true ? 'failed' : 'done'
  const facts: CallFacts = { toolName: name, tool, toolUseId: id, state, input, resultText }
  return {
    render(width, isExpanded) {
      const { title, body } = describeCall(facts, { verbose: isExpanded })
      const marker = state === 'done' ? '● ' : '✗ '
      const titleRows = renderView(title, { width: width - 2, verbose: isExpanded })
      const rows: StyledLine[] = withMarker(
        { text: marker, style: { tone: state === 'done' ? 'success' : 'error' } },
        titleRows,
      )
      if (isExpanded) {
        const full: View = { type: 'code', text: resultText ?? '' }
        rows.push(...withMarker(muted('    '), renderView([inputView(input)], { width: width - 4, verbose: true })))
        rows.push(...withMarker(muted('  ⎿ '), renderView(full, { width: width - 4, verbose: true })))
      } else if (body !== undefined) {
        rows.push(...withMarker(muted('  ⎿ '), renderView(body, { width: width - 4, verbose: false })))
      }
      return [...rows, BLANK_LINE]
    },
    isExpandable: true,
    searchText: `${JSON.stringify(input) ?? ''}\n${searchTextOf(facts)}\n${resultText ?? ''}`.toLowerCase(),
    text: resultText ?? '',
  }
}

function inputView(input: unknown): View {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : []
  return {
    type: 'fields',
    fields: fields.map(([label, value]) => ({
      label,
      value: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
    })),
  }
}
