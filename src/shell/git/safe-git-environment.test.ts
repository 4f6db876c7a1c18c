import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { GIT_TEST_ENVIRONMENT } from '../../testing/files/git-fixture.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { safeGitEnvironment, safeGitEnvironmentWithoutSandbox } from './safe-git-environment.js'

const testWithGit = testWithProgram('git')
let folder = ''
let mark = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-quiet-')))
  mark = join(folder, 'mark')
  setUp(
    'git init -q -b main . && echo a > a.txt && printf "#!/bin/sh\\ntouch %s\\n" "$MARK" > program && chmod +x program && ' +
      'git add a.txt && git commit -qm first',
  )
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const setUp = (script: string) =>
  execFileSync('bash', ['-ec', script], { cwd: folder, env: { ...GIT_TEST_ENVIRONMENT, MARK: mark } })
const run = (command: string, environment: Readonly<Record<string, string>>) => {
  rmSync(mark, { force: true })
  const { status } = spawnSync('bash', ['-c', command], {
    cwd: folder,
    env: { ...GIT_TEST_ENVIRONMENT, ...environment },
  })
  return { status, executed: existsSync(mark) }
}

/** Records a submodule in two commits, then sets a program for the differences in the submodule. */
const OLD_SUBMODULE_COMMAND =
  'mkdir sub; cd sub; git init -q .; echo 1 > f; git add f; git commit -qm 1; cd ..; git add sub 2>/dev/null; ' +
  'git commit -qm s1; cd sub; echo 2 > f; git commit -qam 2; cd ..; git add sub; git commit -qm s2; ' +
  'git -C sub config diff.external $PWD/program'
const MERGE_COMMAND =
  'echo "* merge=x" > .git/info/attributes; git checkout -q -b t; echo t > a.txt; git commit -qam t; git checkout -q main; ' +
  'echo m > a.txt; git commit -qam m; git merge -q t || git commit -qam merged; git config merge.x.driver ./program'
const SIGNED_SUBMODULE =
  'mkdir sub; cd sub; git init -q .; git commit -q --allow-empty -m 1; cd ..; git add sub 2>/dev/null; git commit -qm s; cd sub; ' +
  'git cat-file commit HEAD > c; { sed -n "1,/^committer/p" c; ' +
  'printf "gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n aaaa\\n -----END PGP SIGNATURE-----\\n"; sed "1,/^committer/d" c; } > d; ' +
  'git reset -q --soft $(git hash-object -t commit -w --stdin < d); git config gpg.program ../program; git config log.showSignature true'

const CASES: readonly (readonly [name: string, setup: string, command: string])[] = [
  [
    'differences of submodules',
    `${OLD_SUBMODULE_COMMAND}; git rm -q --cached sub; git config diff.submodule diff`,
    'git log -p',
  ],
  ['merges', `${MERGE_COMMAND}; git config log.diffMerges remerge`, 'git log -m -p'],
  ['summaries of submodules', `${SIGNED_SUBMODULE}; cd ..; git config status.submoduleSummary true`, 'git status'],
]
for (const [name, setup, command] of CASES) {
  testWithGit(`no program runs for ${name}`, () => {
    setUp(setup)
    expect(run(command, {}).executed).toBe(true)
    expect(run(command, safeGitEnvironment).executed).toBe(false)
  })
}

testWithGit('git does not open packs in other folders that a multi-pack index names', () => {
  setUp(
    'git rev-parse HEAD > id; git repack -qad; git multi-pack-index write; cd .git/objects/pack; mv pack-*.idx ../../../p.idx; ' +
      `mv pack-*.pack ../../../p.pack; sed -i "s|pack-[0-9a-f]*[.]idx|$(printf '../../..%036dp.idx' 0 | tr 0 /)|" multi-pack-index`,
  )
  expect(run('git cat-file -e $(cat id)', {}).status).toBe(0)
  expect(run('git cat-file -e $(cat id)', safeGitEnvironment).status).toBe(1)
})

testWithGit('without a sandbox, git diff does not write the index', () => {
  setUp('touch -d 2020-01-01 a.txt')
  const index = readFileSync(join(folder, '.git/index'))
  run('git diff', safeGitEnvironmentWithoutSandbox)
  expect(readFileSync(join(folder, '.git/index'))).toEqual(index)
  run('git diff', safeGitEnvironment)
  expect(readFileSync(join(folder, '.git/index'))).not.toEqual(index)
})

testWithGit('if a sandbox protects the index, git diff reports no change for a file with only a new timestamp', () => {
  setUp('touch -d 2020-01-01 a.txt')
  expect(run('git diff --quiet', safeGitEnvironmentWithoutSandbox).status).toBe(1)
  expect(run('git diff --quiet', safeGitEnvironment).status).toBe(0)
})
