import { describe, expect, test } from 'vitest'
import { type ShellWord, toKnownWord, UNKNOWN_WORDS } from '../words/shell-word.js'
import { checkCommand } from './check-command.js'
import type { CommandSpec } from './command-spec.js'

const sortLikeSpec: CommandSpec = {
  names: 'sort',
  manual: 'sort(1)',
  examples: [],
  acceptsAbbreviations: true,
  options: {
    flags: '-r -u --reverse --unique',
    values: '-k --key --parallel',
    attached: '--check -c',
    roles: { reads: '--files0-from' },
    refused: '-o --output --compress-program',
  },
  operands: ['reads...'],
}

const problemsOf = (spec: CommandSpec, ...words: readonly (string | ShellWord)[]) =>
  checkCommand(
    spec,
    words.map((word) => (typeof word === 'string' ? toKnownWord(word) : word)),
  ).problems.length

describe('a command with the words', () => {
  test.each([
    [['-ru', 'a']],
    [['-rk2', 'a']],
    [['-k', '2', 'a', '-r']],
    [['--key=2', '--rev', 'a']],
    [['--key', '2']],
    [['--check=quiet', '-c', '-cx']],
    [['--', '-o', 'x']],
    [['--files0-from=list']],
  ])('%j is read-only', (words) => {
    expect(problemsOf(sortLikeSpec, ...words)).toBe(0)
  })

  test.each([
    [['-o', 'x']],
    [['-ro', 'x']],
    [['-rox']],
    [['--out=x']],
    [['--c=x']],
    [['--compress-prog', 'x']],
    [['-z']],
    [['--reverse=x']],
    [['a', '-o', 'x']],
    [['--unlisted']],
  ])('%j is refused', (words) => {
    expect(problemsOf(sortLikeSpec, ...words)).toBeGreaterThan(0)
  })
})

describe('unknown words', () => {
  const quotedWord: ShellWord = { text: '$x', knownLength: 0, spread: 'one' }
  const glob: ShellWord = { text: 'src/*', knownLength: 4, spread: 'prefixed' }
  const harmlessSpec: CommandSpec = {
    ...sortLikeSpec,
    options: { flags: '-r', values: '-k' },
    hasOnlyHarmlessOptions: true,
  }

  test('are refused, because they may be options with effects', () => {
    expect(problemsOf(sortLikeSpec, quotedWord)).toBeGreaterThan(0)
    expect(problemsOf(sortLikeSpec, UNKNOWN_WORDS)).toBeGreaterThan(0)
    expect(problemsOf(sortLikeSpec, '-k', { text: '$x', knownLength: 0, spread: 'any' })).toBeGreaterThan(0)
    expect(problemsOf(sortLikeSpec, { text: '-r$x', knownLength: 2, spread: 'one' })).toBeGreaterThan(0)
  })

  test('are refused as attached values that may be empty, because the next word could become the value', () => {
    expect(problemsOf(sortLikeSpec, { text: '-k$x', knownLength: 2, spread: 'one' }, '--', '-o', 'x')).toBeGreaterThan(
      0,
    )
  })

  test('are harmless after a known prefix, after --, as a value, or if no option has effects', () => {
    expect(problemsOf(sortLikeSpec, glob)).toBe(0)
    expect(problemsOf(sortLikeSpec, '--', quotedWord)).toBe(0)
    expect(problemsOf(sortLikeSpec, '-k', quotedWord)).toBe(0)
    expect(problemsOf(sortLikeSpec, { text: '--key=$x', knownLength: 6, spread: 'one' })).toBe(0)
    expect(problemsOf(harmlessSpec, UNKNOWN_WORDS)).toBe(0)
  })

  test.each<[string, Partial<CommandSpec>]>([
    ['is refused', { options: { refused: '-R' } }],
    ['names a file', { options: { roles: { reads: '-f' } } }],
    ['follows links', { options: { flags: '-L' }, followsWith: '-L' }],
    ['reads folders', { options: { flags: '-r' }, recursiveOptions: '-r' }],
  ])('may read other files if an option %s, except for the names that a glob finds', (_, usage) => {
    const spec: CommandSpec = { ...harmlessSpec, ...usage }
    const wholeGlob: ShellWord = { text: '*', knownLength: 0, spread: 'prefixed', hasPattern: true }

    expect(checkCommand(spec, [UNKNOWN_WORDS]).isComplete).toBe(false)
    expect(checkCommand(spec, [quotedWord]).isComplete).toBe(false)
    expect(checkCommand(spec, [wholeGlob]).isComplete).toBe(true)
    expect(checkCommand(harmlessSpec, [quotedWord]).isComplete).toBe(true)
  })
})

describe('operands:', () => {
  const uniqLikeSpec: CommandSpec = { names: 'uniq', manual: 'uniq(1)', examples: [], operands: ['reads', 'writes'] }
  const wrapper: CommandSpec = {
    names: 'timeout',
    manual: 'timeout(1)',
    examples: [],
    style: 'posix',
    operands: ['text', 'command'],
    isTransparent: true,
  }

  test('each operand is read or written as specified, and an extra operand is refused', () => {
    const { reads, writes, problems } = checkCommand(uniqLikeSpec, [toKnownWord('in'), toKnownWord('out')])
    expect(reads.map(({ word }) => word.text)).toEqual(['in'])
    expect(writes.map(({ word }) => word.text)).toEqual(['out'])
    expect(problems).toEqual(['writes files'])
    expect(problemsOf(uniqLikeSpec, 'in')).toBe(0)
    expect(problemsOf(uniqLikeSpec, 'a', '/dev/null', 'c')).toBeGreaterThan(0)
  })

  test('a glob is refused if it may expand to an operand that is written', () => {
    expect(problemsOf(uniqLikeSpec, { text: 'a*', knownLength: 1, spread: 'prefixed' })).toBeGreaterThan(0)
  })

  test('a wrapper passes on all words of its command', () => {
    const { innerCommands, problems } = checkCommand(wrapper, ['5', 'rm', '-rf', 'x'].map(toKnownWord))
    expect(innerCommands).toEqual([
      { kind: 'command', words: ['rm', '-rf', 'x'].map(toKnownWord), assignments: [], isTransparent: true },
    ])
    expect(problems).toEqual([])
  })

  test('a command without a required option is refused', () => {
    const specWithRequiredOption: CommandSpec = { ...sortLikeSpec, requires: ['-u --unique'] }
    expect(problemsOf(specWithRequiredOption, '-u')).toBe(0)
    expect(problemsOf(specWithRequiredOption, '-r')).toBeGreaterThan(0)
  })

  test('a subcommand has its own options', () => {
    const tool: CommandSpec = {
      names: 'tool',
      manual: 'tool(1)',
      examples: [],
      options: { values: '-C' },
      subcommands: { list: { options: { flags: '-l' }, operands: ['text'] } },
    }
    expect(problemsOf(tool, '-C', '.', 'list', '-l')).toBe(0)
    expect(checkCommand(tool, ['-C', '.', 'list'].map(toKnownWord)).subcommandAt).toBe(2)
    expect(problemsOf(tool, 'list', '-C', '.')).toBeGreaterThan(0)
    expect(problemsOf(tool, 'remove')).toBeGreaterThan(0)
  })
})
