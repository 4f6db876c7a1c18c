import { describe, expect, test } from 'vitest'
import { commandIsCovered, commandMayMatch, parseCommandPattern } from './command-pattern.js'

const resolvedText = (text: string) => ({ text, resolvedLength: text.length })

describe('a command rule', () => {
  test.each([
    ['npm run test', 'npm run test', true],
    ['npm run test', 'npm run test x', false],
    ['npm  run   test', 'npm run test', true],
    ['npm run test:*', 'npm run test', true],
    ['npm run test:*', 'npm run test -- a', true],
    ['npm run test:*', 'npm run tests', false],
    ['npm run test *', 'npm run test', true],
    ['npm run test *', 'npm run tests', false],
    ['git * main', 'git push origin main', true],
    ['git * main', 'git main', false],
    ['git * main', 'git push origin mainly', false],
    ['git * main:*', 'git push main --force', true],
    ['* --version', 'node --version', true],
    ['npm*', 'npmx', true],
    ['a*b*c', 'a b c', true],
    ['ab*bc', 'abc', false],
    ['*', 'anything at all', true],
  ])('%j matches %j: %s', (content, command, expected) => {
    const pattern = parseCommandPattern(content)

    expect(commandIsCovered(pattern, resolvedText(command))).toBe(expected)
    expect(commandMayMatch(pattern, resolvedText(command))).toBe(expected ? 'yes' : 'no')
  })
})

describe('a partly known command', () => {
  const command = { text: 'git push $BRANCH', resolvedLength: 'git push '.length }

  test('is covered by a rule that requires only the known part', () => {
    const covered = ['git:*', 'git push:*', 'git push $BRANCH', 'git * $BRANCH', 'git*'].filter((content) =>
      commandIsCovered(parseCommandPattern(content), command),
    )
    expect(covered).toEqual(['git:*', 'git push:*'])
  })

  test('is not covered if the last word of the prefix could continue', () => {
    const withUnknownSuffix = { text: 'git push$X', resolvedLength: 'git push'.length }
    const withUnknownSpace = { text: 'git push $X', resolvedLength: 'git push'.length }
    expect(commandIsCovered(parseCommandPattern('git push:*'), withUnknownSuffix)).toBe(false)
    expect(commandIsCovered(parseCommandPattern('git push:*'), withUnknownSpace)).toBe(false)
  })

  test('may match every deny rule that the unknown rest could satisfy', () => {
    const answers = ['git:*', 'git push origin:*', 'git push --force', 'git pull:*', 'rm:*', '* main'].map(
      (content) => [content, commandMayMatch(parseCommandPattern(content), command)],
    )
    expect(Object.fromEntries(answers)).toEqual({
      'git:*': 'yes',
      'git push origin:*': 'maybe',
      'git push --force': 'maybe',
      'git pull:*': 'no',
      'rm:*': 'no',
      '* main': 'maybe',
    })
  })

  test('may match any rule if its program is unknown', () => {
    expect(commandMayMatch(parseCommandPattern('rm:*'), { text: '$X -rf y', resolvedLength: 0 })).toBe('maybe')
  })
})
