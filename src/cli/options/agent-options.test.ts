import { describe, expect, test } from 'vitest'
import { readAgentOptions } from './agent-options.js'

test('-p may be anywhere among the options', () => {
  const expected = { isPrintMode: true, prompt: 'do it', model: 'x', waitsForInput: false }
  for (const args of [
    ['-p', 'do it', '--model', 'x'],
    ['--model', 'x', '-p', 'do it'],
    ['do it', '--model=x', '--print'],
    ['--model', 'x', '-p', '--', 'do it'],
  ])
    expect(readAgentOptions(args)).toMatchObject(expected)
})

test('a prompt may start with a dash', () => {
  expect(readAgentOptions(['-p', '- one\n- two']).prompt).toBe('- one\n- two')
  expect(readAgentOptions(['-p', '--', '--help']).prompt).toBe('--help')
})

test('the argument - reads standard input, alone or after a prompt', () => {
  expect(readAgentOptions(['-p', '-'])).toMatchObject({ prompt: undefined, waitsForInput: true })
  expect(readAgentOptions(['-p', 'sum it up', '-'])).toMatchObject({ prompt: 'sum it up', waitsForInput: true })
})

test.each([
  [['-p', '--resume', 'abc-1', 'go on'], 'abc-1', 'go on'],
  [['-p', 'go on', '-r', 'abc-1'], 'abc-1', 'go on'],
  [['-p', '--resume=abc-1', 'go on'], 'abc-1', 'go on'],
  [['--resume', '-p', 'go on'], '', 'go on'],
  [['-p', '--resume', 'go on'], '', 'go on'],
  [['--resume'], '', undefined],
  [['-p', 'go on'], undefined, 'go on'],
])('the arguments %j set the session to resume to %j', (args, resume, prompt) => {
  expect(readAgentOptions(args)).toMatchObject({ session: { resume }, prompt })
})

describe('invalid options', () => {
  test.each([
    [['-p', 'a b', 'c d'], /unexpected second prompt "c d"/],
    [['-p', 'x', '--output-format', 'xml'], /invalid value "xml" for --output-format\. Use text, json, stream-json/],
    [['-p', 'x', '--max-turns', '0'], /--max-turns must be a positive integer/],
    [['-p', 'x', '--max-turns', '1.5'], /positive integer/],
    [['-p', 'x', '--max-budget-usd', '-1'], /--max-budget-usd/],
    [['-p', 'x', '--max-budget-usd', '0'], /greater than 0/],
    [['-p', 'x', '--max-budget-usd', 'NaN'], /greater than 0/],
    [['-p', 'x', '--model', ' '], /--model needs a name/],
    [['-p', 'x', '--continue', '--resume', 'abc'], /not both/],
    [['-p', 'x', '--fork-session'], /--fork-session needs/],
    [['-p', 'x', '--session-id', '../x'], /invalid --session-id "..\/x": use up to 100 letters/],
    [['-p', 'x', '--continue', '--session-id', 'abc'], /needs --fork-session/],
    [['-p', 'x', '--include-partial-messages'], /needs --output-format stream-json/],
    [['-p', '--input-format', 'stream-json'], /needs --output-format stream-json/],
    [['-p', 'x', '--input-format', 'stream-json', '--output-format', 'stream-json'], /from standard input only/],
    [['-p', 'x', '--permission-prompt-tool', 'stdio'], /needs --input-format stream-json/],
    [['-p', 'x', '--frobnicate'], /unknown option '--frobnicate'/],
  ])('such as %j are rejected', (args, message) => {
    expect(() => readAgentOptions(args)).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringMatching(message) }),
    )
  })
})
