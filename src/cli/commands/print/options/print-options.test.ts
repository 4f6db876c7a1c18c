import { describe, expect, test } from 'vitest'
import { readPrintOptions } from './print-options.js'

test('-p may stand anywhere among the options', () => {
  const wanted = { isPrint: true, prompt: 'do it', model: 'x', waitsForInput: false }
  for (const args of [
    ['-p', 'do it', '--model', 'x'],
    ['--model', 'x', '-p', 'do it'],
    ['do it', '--model=x', '--print'],
    ['--model', 'x', '-p', '--', 'do it'],
  ])
    expect(readPrintOptions(args)).toMatchObject(wanted)
})

test('a prompt may begin with a dash', () => {
  expect(readPrintOptions(['-p', '- one\n- two']).prompt).toBe('- one\n- two')
  expect(readPrintOptions(['-p', '--', '--help']).prompt).toBe('--help')
})

test('- is standard input, alone or behind a prompt', () => {
  expect(readPrintOptions(['-p', '-'])).toMatchObject({ prompt: undefined, waitsForInput: true })
  expect(readPrintOptions(['-p', 'sum it up', '-'])).toMatchObject({ prompt: 'sum it up', waitsForInput: true })
})

test.each([
  [['-p', '--resume', 'abc-1', 'go on'], 'abc-1', 'go on'],
  [['-p', 'go on', '-r', 'abc-1'], 'abc-1', 'go on'],
  [['-p', '--resume=abc-1', 'go on'], 'abc-1', 'go on'],
  [['--resume', '-p', 'go on'], '', 'go on'],
  [['-p', '--resume', 'go on'], '', 'go on'],
  [['--resume'], '', undefined],
  [['-p', 'go on'], undefined, 'go on'],
])('%j resumes %j', (args, resume, prompt) => {
  expect(readPrintOptions(args)).toMatchObject({ session: { resume }, prompt })
})

describe('wrong usage', () => {
  test.each([
    [['-p', 'a b', 'c d'], /one prompt, in quotes; "c d" is a second one/],
    [['-p', 'x', '--output-format', 'xml'], /--output-format is text, json, stream-json; "xml" is none/],
    [['-p', 'x', '--max-turns', '0'], /--max-turns must be a whole number from 1/],
    [['-p', 'x', '--max-turns', '1.5'], /whole number/],
    [['-p', 'x', '--max-budget-usd', '-1'], /--max-budget-usd/],
    [['-p', 'x', '--max-budget-usd', '0'], /above 0/],
    [['-p', 'x', '--max-budget-usd', 'NaN'], /above 0/],
    [['-p', 'x', '--model', ' '], /--model needs a name/],
    [['-p', 'x', '--continue', '--resume', 'abc'], /not both/],
    [['-p', 'x', '--fork-session'], /--fork-session needs/],
    [['-p', 'x', '--session-id', '../x'], /--session-id takes letters/],
    [['-p', 'x', '--continue', '--session-id', 'abc'], /needs --fork-session/],
    [['-p', 'x', '--include-partial-messages'], /needs --output-format stream-json/],
    [['-p', '--input-format', 'stream-json'], /needs --output-format stream-json/],
    [['-p', 'x', '--input-format', 'stream-json', '--output-format', 'stream-json'], /by standard input alone/],
    [['-p', 'x', '--permission-prompt-tool', 'stdio'], /needs --input-format stream-json/],
    [['-p', 'x', '--frobnicate'], /unknown option '--frobnicate'/],
  ])('%j', (args, message) => {
    expect(() => readPrintOptions(args)).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringMatching(message) }),
    )
  })
})
