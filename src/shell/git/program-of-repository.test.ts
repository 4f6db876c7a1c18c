import { describe, expect, test } from 'vitest'
import { parseAttributes } from './attribute-rules.js'
import { parseGitConfig } from './parse-git-config.js'
import { programOfRepository } from './program-of-repository.js'
import { doubtfulRepository, type RepositoryFacts } from './repository-facts.js'

const PLAIN: RepositoryFacts = { ...doubtfulRepository(''), doubt: null, attributes: [], staged: [], touched: [] }

function factsWith(config: string, more: Partial<RepositoryFacts> = {}): RepositoryFacts {
  return { ...PLAIN, settings: parseGitConfig(config).settings, ...more }
}

const runs = (facts: RepositoryFacts, command: string) => {
  const [subcommand = '', ...words] = command.split(' ')
  return programOfRepository(facts, subcommand, words) !== null
}

test.each(['status', 'diff', 'log -p', 'show', 'blame a', 'ls-files', 'grep x', 'unknown'])(
  '%s runs nothing of a plain repository',
  (command) => {
    expect(runs(PLAIN, command)).toBe(false)
  },
)

test('nothing is known of a repository in doubt', () => {
  expect(programOfRepository(doubtfulRepository('why'), 'rev-parse', [])).toBe('why')
})

describe('settings', () => {
  test.each<[string, string, boolean]>([
    ['[core]\nfsmonitor = false', 'status', false],
    ['[core]\nfsmonitor', 'status', true],
    ['[core]\nfsmonitor = true', 'check-ignore a', true],
    ['[diff]\nexternal = x', 'diff --no-ext-diff', false],
    ['[diff]\nexternal = x', 'diff --no-ext-diff --ext', true],
    ['[diff]\nexternal = x', 'diff --stat --patch', true],
    ['[diff]\nexternal = x', 'diff --name-only', false],
    ['[diff]\nexternal = x', 'log --ext-diff -p', true],
    ['[diff "default"]\ntextconv = x', 'log -p', true],
    ['[diff "default"]\ntextconv = x', 'log -Sword', true],
    ['[diff "default"]\ntextconv = x', 'log --oneline --grep=-p', false],
    ['[diff "default"]\ntextconv = x', 'stash list -p', true],
    ['[diff "default"]\ntextconv = x', 'show --stat', false],
    ['[diff "default"]\ncachetextconv = true', 'show', true],
    ['[extensions]\npartialClone = origin', 'log', true],
    ['[remote "o"]\npromisor = true', 'show HEAD', true],
    ['[remote "o"]\npromisor = true', 'config --list', false],
    ['[alias]\nwhatchanged = !x', 'whatchanged', true],
    ['[alias]\nlog = !x', 'log', false],
    ['[hook "x"]\ncommand = y', 'status', true],
    ['[log]\nshowSignature = true', 'log', true],
    ['[format]\npretty = %h %G?', 'log', true],
    ['[pretty]\nmine = %G?', 'rev-list --pretty=mine HEAD', true],
    ['[rerere]\nenabled = true', 'rerere status', true],
    ['', 'rerere status', false],
    ['[gpg]\nprogram = x', 'log', false],
    ['[gpg]\nprogram = x', 'log --format=%G?', true],
    ['', 'verify-commit HEAD', true],
    ['[trace2]\nnormalTarget = /tmp/x', 'rev-parse HEAD', true],
    ['[status]\nshowUntrackedFiles = no', 'status', false],
  ])('%j and git %s: %s', (config, command, expected) => {
    expect(runs(factsWith(config), command)).toBe(expected)
  })
})

describe('drivers', () => {
  const facts = (attributes: string, more: Partial<RepositoryFacts> = {}) =>
    factsWith('[diff "x"]\ntextconv = y\n[filter "x"]\nclean = y\nsmudge = y', {
      attributes: parseAttributes(attributes, ''),
      ...more,
    })

  test.each<[string, string, boolean]>([
    ['*.ts diff=x', 'blame src/a.ts', true],
    ['*.ts diff=x', 'blame src/a.js', false],
    ['*.TS diff=x', 'blame src/a.ts', true],
    ['src/*.ts diff=x', 'blame src/a.ts', true],
    ['/a.ts diff=x', 'blame src/a.ts', false],
    ['"*.ts" diff=x', 'blame a.js', true],
    ['[attr]mine diff=x', 'blame a.js', true],
    ['a[bc] diff=x', 'blame ab', true],
    ['*.ts diff=x', 'blame ../a.js', true],
    ['*.ts diff=x', 'blame HEAD a.js', true],
    ['*.ts diff=y', 'log -p', false],
    ['*.ts filter=x', 'blame a.ts', true],
    ['*.ts filter=x', 'hash-object a.js', true],
    ['*.ts -diff', 'diff', false],
  ])('%j and git %s: %s', (attributes, command, expected) => {
    expect(runs(facts(attributes), command)).toBe(expected)
  })

  test('files that must be read to compare them go through the filter', () => {
    expect(runs(facts('*.ts filter=x', { touched: ['a.ts'] }), 'status')).toBe(true)
    expect(runs(facts('*.ts filter=x', { touched: ['a.js'] }), 'status')).toBe(false)
    expect(runs(facts('*.ts filter=x', { touched: 'unknown' }), 'status')).toBe(true)
  })

  test('a difference to another commit than HEAD is not what is staged', () => {
    expect(runs(facts('*.ts diff=x'), 'diff --cached')).toBe(false)
    expect(runs(facts('*.ts diff=x'), 'diff --cached HEAD~1')).toBe(true)
    expect(runs(facts('*.ts diff=x', { staged: ['a.ts'] }), 'diff --cached')).toBe(true)
  })

  test('a conversion of the user takes its file through the smudge filter of the repository', () => {
    const userSettings = parseGitConfig('[diff "pdf"]\ntextconv = pdftotext').settings
    const smudging = factsWith('[filter "x"]\nsmudge = y', { attributes: parseAttributes('*.pdf filter=x', '') })
    expect(runs(smudging, 'log -p')).toBe(false)
    expect(runs({ ...smudging, userSettings }, 'log -p')).toBe(true)
  })
})

test("the user's own programs count where they are named by a relative path", () => {
  const user = (config: string) => ({ ...PLAIN, userSettings: parseGitConfig(config).settings })
  expect(runs(user('[core]\nfsmonitor = /usr/bin/watch'), 'status')).toBe(false)
  expect(runs(user('[diff]\nexternal = difft'), 'diff')).toBe(false)
  expect(runs(user('[diff]\nexternal = sh scripts/x'), 'diff')).toBe(true)
  expect(runs(user('[core]\nfsmonitor = ./watch'), 'status')).toBe(true)
})

test('settings of a submodule count where git enters it', () => {
  const facts = { ...PLAIN, submodules: [factsWith('[core]\nfsmonitor = x')] }
  expect(runs(facts, 'status')).toBe(true)
  expect(runs(facts, 'log')).toBe(false)
})
