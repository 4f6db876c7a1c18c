import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { testWithProgram } from '../../testing/test-with-program.js'
import { type GitSetting, parseGitConfig } from './parse-git-config.js'
import { hasUnsafeValue, kindOfSetting } from './setting-kinds.js'

const testWithGit = testWithProgram('git')

function toSetting(key: string): GitSetting {
  const [section = '', ...parts] = key.split('.')
  const name = parts.pop() ?? ''
  return { section: section.toLowerCase(), subsection: parts.join('.'), name: name.toLowerCase(), value: '' }
}

/** Settings that were documented after the version of git that the table follows are unknown until they are reviewed. */
const REVIEWED_VERSION = 2.39

testWithGit('every setting that git documents is in the table', () => {
  const version = Number.parseFloat(execFileSync('git', ['--version'], { encoding: 'utf8' }).replace(/^\D+/, ''))
  const keys = execFileSync('git', ['help', '-c'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => /^[a-z\d]+\.\S+$/i.test(line))
  const unknownKeys = keys.filter((key) => kindOfSetting(toSetting(key)) === 'unknown')
  expect(keys.length).toBeGreaterThan(500)
  if (version <= REVIEWED_VERSION) expect(unknownKeys).toEqual([])
})

test.each([
  'core.useBuiltinFSMonitor',
  'core.gvfs',
  'core.new',
  'extensions.new',
  'lfs.extension.x.clean',
  'lfs.customtransfer.x.path',
  'lfs.storage',
  'new.section',
  'submodule.x.new',
])('the git setting %s is of an unknown kind', (key) => {
  expect(kindOfSetting(toSetting(key))).toBe('unknown')
})

test.each([
  'blame.ignoreRevsFile',
  'core.attributesFile',
  'core.excludesFile',
  'diff.orderFile',
  'format.signatureFile',
  'fsck.skipList',
  'mailmap.file',
])('the value of the git setting %s is the name of a file', (key) => {
  expect(kindOfSetting(toSetting(key))).toBe('file')
})

test('the settings that git, hosting services and editors write are harmless', () => {
  const { settings } = parseGitConfig(`
[core]
repositoryformatversion = 1
filemode = true
bare = false
logallrefupdates = true
ignorecase = true
precomposeunicode = true
[remote "origin"]
url = git@github.com:a/b.git
fetch = +refs/heads/*:refs/remotes/origin/*
gh-resolved = base
[branch "main"]
remote = origin
merge = refs/heads/main
vscode-merge-base = origin/main
github-pr-owner-number = a#b#1
[submodule]
active = .
[submodule "lib"]
url = https://example.com/lib.git
active = true
[lfs]
repositoryformatversion = 0
[lfs "https://example.com/b.git/info/lfs"]
access = basic
locksverify = false
[extensions]
worktreeConfig = true
[user]
name = A
[pull]
rebase = true
[gitflow "branch"]
master = main
[maintenance]
auto = false
[alias]
st = status
`)
  expect(settings.filter((setting) => kindOfSetting(setting) !== 'harmless')).toEqual([])
})

test.each([
  ['[diff]\nsubmodule = short', false],
  ['[diff]\nsubmodule = diff', true],
  ['[diff]\nsubmodule = log', true],
  ['[status]\nsubmoduleSummary = false', false],
  ['[status]\nsubmoduleSummary', true],
  ['[status]\nsubmoduleSummary = 5', true],
  ['[log]\ndiffMerges = remerge', true],
  ['[log]\ndiffMerges = r', true],
  ['[log]\ndiffMerges = first-parent', false],
  ['[user]\nname = remerge', false],
])('whether the value of %j is unsafe: %s', (config, expected) => {
  expect(parseGitConfig(config).settings.map(hasUnsafeValue)).toEqual([expected])
})
