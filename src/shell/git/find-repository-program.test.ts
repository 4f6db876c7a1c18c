import { describe, expect, test } from 'vitest'
import { findRepositoryProgram } from './find-repository-program.js'
import { parseGitConfig } from './parse-git-config.js'
import { createUnanalysedRepository, type RepositoryFacts } from './repository-facts.js'

const PLAIN_REPOSITORY: RepositoryFacts = {
  ...createUnanalysedRepository(''),
  problem: null,
  root: '/project',
  hasIndexHook: false,
  hasUnexaminedFolders: false,
}

function createFactsWith(config: string): RepositoryFacts {
  return { ...PLAIN_REPOSITORY, settings: parseGitConfig(config).settings }
}

const runsProgram = (facts: RepositoryFacts, command: string) => {
  const [subcommand = '', ...words] = command.split(' ')
  return findRepositoryProgram(facts, subcommand, words) !== null
}

test.each(['status', 'diff', 'log -p', 'show', 'blame a', 'ls-files', 'grep x', 'unknown'])(
  'git %s runs no program of a plain repository',
  (command) => {
    expect(runsProgram(PLAIN_REPOSITORY, command)).toBe(false)
  },
)

test('git grep needs approval if the folders of tracked files were not examined', () => {
  expect(runsProgram({ ...PLAIN_REPOSITORY, hasUnexaminedFolders: true }, 'grep x')).toBe(true)
  expect(runsProgram({ ...PLAIN_REPOSITORY, hasUnexaminedFolders: true }, 'diff')).toBe(false)
})

test('every command needs approval in a repository that cannot be analysed', () => {
  expect(findRepositoryProgram(createUnanalysedRepository('why'), 'rev-parse', [])).toBe('why')
})

describe('whether git prints credentials of the user:', () => {
  const CREDENTIALS = '[url "https://me:pass@host/"]\ninsteadOf = https://host/'
  test.each<[string, string, boolean]>([
    [CREDENTIALS, 'config --list', true],
    [CREDENTIALS, 'config -zl', true],
    [CREDENTIALS, 'config --global -l --name-only', true],
    [CREDENTIALS, 'config --get-urlmatch user.name https://host/', true],
    [CREDENTIALS, 'config --local --list', false],
    [CREDENTIALS, 'config --get user.name', false],
    [CREDENTIALS, 'remote -v', true],
    [CREDENTIALS, 'remote get-url origin', true],
    [CREDENTIALS, 'remote', false],
    [CREDENTIALS, 'ls-remote --get-url', true],
    ['[http]\nextraHeader = x', 'config -l', true],
    ['[http]\nextraHeader = x', 'remote -v', false],
    ['[user]\nname = a\n[credential]\nhelper = store', 'config -l', false],
    ['[url "git@host:"]\ninsteadOf = https://host/', 'remote -v', false],
  ])('%j, git %s: %s', (config, command, isPrinted) => {
    const facts = { ...PLAIN_REPOSITORY, userSettings: parseGitConfig(config).settings }
    expect(runsProgram(facts, command)).toBe(isPrinted)
  })
})

describe('whether a setting of the repository makes git run a program:', () => {
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
    ['', 'diff-tree --pretty=%GG HEAD', true],
    ['', 'diff-tree --pretty=%h HEAD', false],
    ['[pretty]\nmine = %G?', 'diff-tree --pretty=mine HEAD', true],
    ['[log]\ndiffMerges = remerge', 'log -p', false],
    ['[log]\ndiffMerges = remerge', 'log -m', true],
    ['[log]\ndiffMerges = remerge', 'show --diff-merges=on', true],
    ['[log]\ndiffMerges = separate', 'log -m', false],
    ['[submodule]\nrecurse = true', 'grep x HEAD~1', true],
    ['[submodule]\nrecurse = true', 'log', false],
    ['[rerere]\nenabled = true', 'rerere status', true],
    ['', 'rerere status', false],
    ['[format]\nfrom = true', 'format-patch --stdout -1', true],
    ['[format]\nthread', 'format-patch --stdout -1', true],
    ['[format]\nsignOff = true', 'format-patch --stdout -1', true],
    ['[format]\nsubjectPrefix = x', 'format-patch --stdout -1', false],
    ['[format]\nfrom = true', 'log', false],
    ['[gpg]\nprogram = x', 'log', false],
    ['[gpg]\nprogram = x', 'log --format=%G?', true],
    ['', 'verify-commit HEAD', true],
    ['[log]\nshowSignature = true', 'status', false],
    ['[trace2]\nnormalTarget = /tmp/x', 'rev-parse HEAD', true],
    ['[status]\nshowUntrackedFiles = no', 'status', false],
  ])('%j with git %s: %s', (config, command, expected) => {
    expect(runsProgram(createFactsWith(config), command)).toBe(expected)
  })
})

describe('a driver or filter of the repository may run for every file:', () => {
  const facts = createFactsWith('[diff "x"]\ntextconv = y\n[filter "x"]\nclean = y\nsmudge = y')

  test.each<[string, boolean]>([
    ['blame a.ts', true],
    ['hash-object a.js', true],
    ['log -p', true],
    ['log --oneline', false],
    ['show --stat', false],
    ['status', true],
    ['diff --stat', true],
    ['diff --cached', true],
    ['diff --cached --stat', false],
    ['diff --cached HEAD~1', true],
    ['branch -a', false],
  ])('git %s may run it: %s', (command, expected) => {
    expect(runsProgram(facts, command)).toBe(expected)
  })

  test('git log -p runs a smudge filter of the repository if the user has a text conversion', () => {
    const userSettings = parseGitConfig('[diff "pdf"]\ntextconv = pdftotext').settings
    const factsWithSmudgeFilter = createFactsWith('[filter "x"]\nsmudge = y')
    expect(runsProgram(factsWithSmudgeFilter, 'log -p')).toBe(false)
    expect(runsProgram({ ...factsWithSmudgeFilter, userSettings }, 'log -p')).toBe(true)
  })
})

test("the user's own programs need approval only if they are named by a relative path", () => {
  const createFactsWithUserSettings = (config: string) => ({
    ...PLAIN_REPOSITORY,
    userSettings: parseGitConfig(config).settings,
  })
  expect(runsProgram(createFactsWithUserSettings('[core]\nfsmonitor = /usr/bin/watch'), 'status')).toBe(false)
  expect(runsProgram(createFactsWithUserSettings('[diff]\nexternal = difft'), 'diff')).toBe(false)
  expect(runsProgram(createFactsWithUserSettings('[diff]\nexternal = sh scripts/x'), 'diff')).toBe(true)
  expect(runsProgram(createFactsWithUserSettings('[core]\nfsmonitor = ./watch'), 'status')).toBe(true)
})

test('filters that the user installed for all repositories, such as Git LFS, need no approval', () => {
  const userSettings = parseGitConfig(
    '[filter "lfs"]\nclean = git-lfs clean -- %f\nsmudge = git-lfs smudge -- %f\nprocess = git-lfs filter-process',
  ).settings
  for (const command of ['status', 'diff', 'log -p', 'show'])
    expect(runsProgram({ ...PLAIN_REPOSITORY, userSettings }, command)).toBe(false)
})

test('a program in the settings of a submodule needs approval only for commands that enter the submodule', () => {
  const facts = { ...PLAIN_REPOSITORY, submodules: [createFactsWith('[core]\nfsmonitor = x')] }
  expect(runsProgram(facts, 'status')).toBe(true)
  expect(runsProgram(facts, 'log')).toBe(false)
})

test('git status needs approval if any setting of a submodule runs a program, even for another command', () => {
  const facts = { ...PLAIN_REPOSITORY, submodules: [createFactsWith('[log]\nshowSignature = true')] }
  expect(runsProgram(facts, 'status')).toBe(true)
})
