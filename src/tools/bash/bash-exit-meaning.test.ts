import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import { findBashExitMeaning } from './bash-exit-meaning.js'

const findMeaning = (command: string, exitCode: number, output?: string) =>
  findBashExitMeaning(analyseCommand(command, { cwd: '/project' }).exitStatusOf, exitCode, output)

describe('an exit code that reports a result, such as that of grep, is not a failure', () => {
  test.each([
    ['grep -n x file', 1, 'no line matches'],
    ['/usr/bin/grep x file', 1, 'no line matches'],
    ['FOO=1 rg x', 1, 'no line matches'],
    ['cat file | grep x', 1, 'no line matches'],
    ['cd src && grep x file', 1, 'no line matches'],
    ['make; grep x file', 1, 'no line matches'],
    ['make || grep x log', 1, 'no line matches'],
    ['diff a b 2>&1', 1, 'differ'],
    ['cmp a b', 1, 'differ'],
    ['test -f x', 1, 'false'],
    ['[ -f x ]', 1, 'false'],
    ['[[ -f x ]]', 1, 'false'],
    ['find / -name x', 1, 'could not be searched'],
    ['git grep x', 1, 'no line matches'],
    ['git diff --quiet', 1, 'differences'],
    ['command -v foo', 1, 'no such command'],
  ])('for the command %s', (command, exitCode, text) => {
    const meaning = findMeaning(command, exitCode)
    expect(meaning?.text).toContain(text)
    expect(meaning?.isFailure).toBe(false)
  })
})

describe('an exit code that may come from another program is not explained', () => {
  test.each([
    ['grep x file', 2],
    ['grep x file | sort', 1],
    ['make && grep x log', 1],
    ['! grep x file', 1],
    ['grep x file &', 1],
    ['set -o pipefail; cat a | grep x', 1],
    ['(cd a; grep x f)', 1],
    ['if true; then grep x f; fi', 1],
    ['$GREP x file', 1],
    ['sh -c "grep x"', 1],
    ['echo grep', 1],
    ['git diff', 1],
    ['grep "unterminated', 1],
    ['', 1],
  ])('for the command %s', (command, exitCode) => expect(findMeaning(command, exitCode)).toBeUndefined())
})

test('a missing folder is a failure, whatever command follows', () => {
  const output = 'bash: line 1: cd: nowhere: No such file or directory\n'
  expect(findMeaning('cd nowhere && grep x f', 1, output)).toBeUndefined()
})

test.each([
  [126, 'cannot be executed'],
  [127, 'was not found'],
  [130, 'SIGINT'],
  [137, 'too little memory'],
  [139, 'a crash'],
  [143, 'SIGTERM'],
])('the exit code %i is explained as a failure', (exitCode, text) => {
  const meaning = findMeaning('anything at all', exitCode)
  expect(meaning?.text).toContain(text)
  expect(meaning?.isFailure).toBe(true)
})

test('a command ended by the timeout program is a failure', () => {
  expect(findMeaning('timeout 5 make', 124)).toEqual({
    text: 'timeout ended the command',
    isFailure: true,
  })
  expect(findMeaning('make', 124)).toBeUndefined()
})
