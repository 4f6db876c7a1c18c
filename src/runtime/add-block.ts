import type { CallRun } from '../calls/call-run.js'
import { ToolCallError } from '../contract/errors.js'
import type { ToolUseBlock } from '../contract/messages.js'

/** Adds what a host took for a call. One that is none gets an error result, and leaves its neighbours alone. */
export function addBlock(run: CallRun, block: ToolUseBlock): void {
  const problem = problemOf(block)
  if (problem === undefined) {
    run.add(block)
    return
  }
  // Without an id it still has its place among the results, so that they can be told apart by it.
  const known = { type: 'tool_use', id: textOf(block, 'id'), name: textOf(block, 'name'), input: undefined } as const
  run.refuse(known, new ToolCallError('input_invalid', `This is no call that can be run: ${problem}.`))
}

function problemOf(block: ToolUseBlock): string | undefined {
  try {
    if (typeof block.id !== 'string') return 'its id is no string'
    if (typeof block.name !== 'string') return 'its name is no string'
    // A getter that throws is better met here than halfway into the run.
    void block.input
    return undefined
  } catch (error) {
    return `it cannot be read (${error instanceof Error ? error.message : 'for a reason that is no error'})`
  }
}

function textOf(block: ToolUseBlock, member: 'id' | 'name'): string {
  try {
    const value: unknown = block[member]
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}
