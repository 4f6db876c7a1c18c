import { expect, test } from 'vitest'
import { renderPlainText } from '../../views/plain-text.js'
import { commandViews } from './command-output.js'

const { renderToolUseProgressMessage, renderToolResultMessage, getActivityDescription, isResultTruncated } =
  commandViews
const briefOptions = { verbose: false }
const createLines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')
const createResult = (output: string, notes: readonly string[] = []) => {
  return { output, notes, exitCode: 0, signal: null, isFailure: false, receivedBytes: output.length }
}

test('progress shows the last lines and the number of bytes', () => {
  const progress = [{ type: 'output', lastLines: createLines(5), receivedBytes: 12_345 }] as const
  expect(renderPlainText(renderToolUseProgressMessage(progress, briefOptions))).toBe(
    'line 3\nline 4\nline 5\n12 kB so far',
  )
  expect(renderPlainText(renderToolUseProgressMessage(progress, { verbose: true }))).toMatch(/^line 1\n/)
  expect(renderPlainText(renderToolUseProgressMessage([], briefOptions))).toBe('Running…')
})

test('a long result is cut unless the view is verbose', () => {
  const draw = (output: Parameters<typeof renderToolResultMessage>[0], verbose = false) =>
    renderPlainText(renderToolResultMessage(output, [], { verbose }))
  expect(draw(createResult(createLines(12)))).toMatch(
    /^line 1\nline 2\nline 3\n… 2 more lines\nline 6\n(?:.*\n)*line 12$/,
  )
  expect(draw(createResult(createLines(12)), true)).toBe(createLines(12))
  expect(draw(createResult('', ['Exit code 1.']))).toBe('Exit code 1.')
  expect(draw(createResult(''))).toBe('No output')
  expect([isResultTruncated(createResult(createLines(12))), isResultTruncated(createResult(createLines(3)))]).toEqual([
    true,
    false,
  ])
})

test('the summary is the description or the first line of the command', () => {
  expect(getActivityDescription({ command: 'make', description: 'Builds it' })).toBe('Builds it')
  expect(getActivityDescription({ command: `echo ${'x'.repeat(80)}\nmore` })).toBe(`Running echo ${'x'.repeat(44)}…`)
  expect(getActivityDescription(undefined)).toBe('Running a command')
})
