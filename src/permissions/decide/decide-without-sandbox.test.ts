import { expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import type { RepositoryFacts } from '../../shell/git/repository-facts.js'
import {
  BashTool,
  createFakePaths,
  createFixtureTool,
  decideOn,
  type FixtureDecision,
  readStatedCommand,
} from '../fixture-calls.js'

const tool = createFixtureTool('Bash', { ...BashTool, runsOnlyItsCommand: true, command: readStatedCommand })

const ORDINARY_REPOSITORY: RepositoryFacts = {
  problem: null,
  root: '/project',
  settings: [{ section: 'core', subsection: '', name: 'bare', value: 'false' }],
  userSettings: [{ section: 'user', subsection: '', name: 'name', value: 'dev' }],
  namedFiles: [],
  foreignLinks: [],
  hasIndexHook: false,
  hasUnexaminedFolders: false,
  submodules: [],
}

function decide(command: string, options: FixtureDecision = {}, facts: RepositoryFacts = ORDINARY_REPOSITORY) {
  const repositories = new Map([['/project', facts]])
  const analysis = analyseCommand(command, { cwd: '/project', home: '/home/dev', repositories })
  return decideOn(tool, { command }, { command: analysis, canConfine: () => false, ...options })
}

test.each([
  ['cat src/a | head -5', 'allow'],
  ['git log --oneline -5 && git status', 'allow'],
  ["awk '{print $1}' src/a", 'ask'],
  ['sed -n 5p src/a', 'ask'],
  ['jq .name package.json', 'ask'],
  ['for f in a b; do cat $f; done', 'ask'],
  ['bash -c "ls"', 'ask'],
])(
  'without a sandbox, the decision about %j is %s; with a sandbox, the command is allowed',
  async (command, expected) => {
    expect((await decide(command)).behavior).toBe(expected)
    expect((await decide(command, { canConfine: () => true })).behavior).toBe('allow')
  },
)

test.each(['git diff', 'git diff -- src', 'git --no-pager log -- src/a'])(
  'without a sandbox, the user is asked about %j if a rule denies reading files that git might print',
  async (command) => {
    const rules = { deny: ['Read(.env)'] }
    expect((await decide(command)).behavior).toBe('allow')
    expect((await decide(command, { rules })).behavior).toBe('ask')
    expect((await decide('git status && cat src/a', { rules })).behavior).toBe('allow')
  },
)

test.each(['git show HEAD:.env', 'git show HEAD -- src .env', 'git log -p -- .env'])(
  'with a rule that denies reading a file, %j, which names it, is denied even in a sandbox',
  async (command) => {
    const paths = createFakePaths({ folders: ['/project/src'] })
    const options = { paths, canConfine: () => true, rules: { deny: ['Read(./.env)'] } }
    expect((await decide(command, options)).behavior).not.toBe('allow')
  },
)

test.each([
  ...[
    'git status',
    'git log --oneline -5',
    'git log --stat',
    'git show --name-only',
    'git diff --stat',
    'git diff',
    'git log -p -1',
    'git show',
    'git stash list',
  ],
  ...['git show HEAD:src/a', 'git diff -- src', 'git log -p -- src/a src/b', 'git cat-file -t HEAD', 'git reflog'],
])('with a rule that denies reading a file, %j, which does not name it, is allowed in a sandbox', async (command) => {
  const options = { paths: createFakePaths({ folders: ['/project/src'] }), canConfine: () => true }
  expect((await decide(command, { ...options, rules: { deny: ['Read(./.env)'] } })).behavior).toBe('allow')
})

test('without a sandbox, the user is asked about a command that reads through a link in a working directory', async () => {
  const paths = createFakePaths({ links: { '/project/link': '/project/src', '/home/dev/link': '/home/dev/other' } })
  expect((await decide('cat link/a', { paths })).behavior).toBe('ask')
  expect((await decide('cat link/a', { paths, canConfine: () => true })).behavior).toBe('allow')
  expect((await decide('ls link', { paths })).behavior).toBe('ask')
  expect((await decide('cat src/a', { paths })).behavior).toBe('allow')
})

test.each<[change: string, facts: Partial<RepositoryFacts>]>([
  ['a setting', { settings: [{ section: 'log', subsection: '', name: 'date', value: 'iso' }] }],
  ['a filter of the user', { userSettings: [{ section: 'filter', subsection: 'lfs', name: 'clean', value: 'x' }] }],
  ['a log format of the user', { userSettings: [{ section: 'format', subsection: '', name: 'pretty', value: 'x' }] }],
  ['a submodule', { submodules: [ORDINARY_REPOSITORY] }],
  ['a link to another folder', { foreignLinks: ['/project/link'] }],
  ['a hook', { hasIndexHook: true }],
  ['a problem', { problem: 'x' }],
  ['files outside the working directories', { root: '/' }],
  ['a name that only starts like a working directory', { root: '/project-b' }],
])('without a sandbox, git needs approval in a repository with %s', async (_, changedFacts) => {
  expect((await decide('git status')).behavior).toBe('allow')
  expect((await decide('git status', {}, { ...ORDINARY_REPOSITORY, ...changedFacts })).behavior).toBe('ask')
})

test('without a sandbox, a command that reads a pipe, a device or a folder instead of a file needs approval', async () => {
  const look = (path: string) => ({
    ...{ realPath: path, isFolder: /src$/.test(path), isSpecial: /pipe$/.test(path), isCaseInsensitive: false },
  })
  for (const command of [
    'cat pipe',
    'diff src a',
    'cat a pipe',
    'cat ../x',
    'cat /etc/hostname',
    'ls /',
    'cat /dev/null',
  ])
    expect((await decide(command, { paths: { look } })).behavior, command).toBe('ask')
  for (const command of ['cat a', 'ls src pipe', 'cd src && cat ../a', 'cd /project/src && ls'])
    expect((await decide(command, { paths: { look } })).behavior, command).toBe('allow')
})

test('a command that reads from a pipe or a device of the project needs approval, even in a sandbox', async () => {
  const look = (path: string) => ({
    ...{ realPath: path, isFolder: false, isSpecial: /pipe$/.test(path), isCaseInsensitive: false },
  })
  const links = async (folder: string) => [`${folder.replace(/\/$/, '')}/pipe`]
  const options = { paths: { look, links }, canConfine: () => true }
  for (const command of ['cat pipe', 'cat p*', 'wc -l < pipe', 'rg x', 'fdfind x', 'tree --gitignore'])
    expect((await decide(command, options)).behavior, command).toBe('ask')
  for (const command of ['cat a', 'ls -l pipe', 'ls 2> /dev/null', 'tree'])
    expect((await decide(command, options)).behavior, command).toBe('allow')
})

test('without a sandbox, cd is accepted only at the start of a command', async () => {
  const paths = createFakePaths({ folders: ['/project/src'], links: { '/project/link': '/project/src' } })
  expect((await decide('cd src && cat a', { paths })).behavior).toBe('allow')
  for (const command of [
    'cd src; cat a',
    'cat a && cd src',
    'cd src && cd .. && ls',
    'cd link && ls',
    'cd src | cat a',
  ])
    expect((await decide(command, { paths })).behavior, command).toBe('ask')
})

test('a working directory whose path is a link causes no question', async () => {
  const paths = createFakePaths({ links: { '/project': '/data/project' } })
  expect((await decide('cat src/a', { paths })).behavior).toBe('allow')
})

test('a question that is asked for lack of a sandbox says so', async () => {
  expect((await decide('jq .name package.json')).message).toContain('there is no sandbox')
})

test('without a sandbox, each part of an allowed command has a rule or is an audited core command', async () => {
  const rules = { allow: ['Bash(npm test:*)'] }
  expect((await decide('npm test | tail -5', { rules })).behavior).toBe('allow')
  expect((await decide("npm test | awk '{print $1}'", { rules })).behavior).toBe('ask')
  expect((await decide("npm test | awk '{print $1}'", { rules, canConfine: () => true })).behavior).toBe('allow')
})

test('without a sandbox, allow rules and bypassPermissions allow the same commands as with one', async () => {
  const command = 'jq .name package.json'
  expect((await decide(command, { rules: { allow: ['Bash(jq:*)'] } })).behavior).toBe('allow')
  expect((await decide(command, { mode: 'bypassPermissions' })).behavior).toBe('allow')
  expect((await decide(command, { mode: 'plan' })).behavior).toBe('ask')
})

test('without a sandbox, auto mode does not allow a command just because its analysis is read-only', async () => {
  expect((await decide('jq .name package.json', { mode: 'auto', canAsk: false })).behavior).not.toBe('allow')
})

test('the sandbox is not probed unless the decision depends on it', async () => {
  let count = 0
  const canConfine = () => {
    count++
    return true
  }
  await decide('cat src/a', { canConfine })
  await decide('touch x', { canConfine })
  expect(count).toBe(0)
})
