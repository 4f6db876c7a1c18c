import { expect, test } from 'vitest'
import { commandViews } from './command-output.js'

const { renderToolUseProgressMessage, renderToolResultMessage, getActivityDescription, isResultTruncated } =
  commandViews
const briefOptions = { verbose: false }
const createLines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')
const result = (output: string, notes: readonly string[] = []) => {
  return { output, notes, exitCode: 0, signal: null, isFailure: false, receivedBytes: output.length }
}

test('progress shows the last lines and the number of bytes', () => {
  const progress = [{ type: 'output', lastLines: createLines(5), receivedBytes: 12_345 }] as const
  expect(renderToolUseProgressMessage(progress, briefOptions)).toBe('line 3\nline 4\nline 5\n12 kB so far')
  expect(renderToolUseProgressMessage(progress, { verbose: true })).toMatch(/^line 1\n/)
  expect(renderToolUseProgressMessage([], briefOptions)).toBe('Running…')
})

test('a long result is cut unless the view is verbose', () => {
  expect(renderToolResultMessage(result(createLines(12)), [], briefOptions)).toMatch(/line 10\n… 2 more lines$/)
  expect(renderToolResultMessage(result(createLines(12)), [], { verbose: true })).toBe(createLines(12))
  expect(renderToolResultMessage(result('', ['Exit code 1.']), [], briefOptions)).toBe('Exit code 1.')
  expect([isResultTruncated(result(createLines(12))), isResultTruncated(result(createLines(3)))]).toEqual([true, false])
})

test('the summary is the description or the first line of the command', () => {
  expect(getActivityDescription({ command: 'make', description: 'Builds it' })).toBe('Builds it')
  expect(getActivityDescription({ command: `echo ${'x'.repeat(80)}\nmore` })).toBe(`Running echo ${'x'.repeat(44)}…`)
  expect(getActivityDescription(undefined)).toBe('Running a command')
})
