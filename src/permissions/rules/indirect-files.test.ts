import { describe, expect, test } from 'vitest'
import { behaviorOf } from '../fixture-commands.js'

describe('with a rule for a file, the user is asked about a git command that prints', () => {
  test.each([
    ['a revision with free text', "git show 'HEAD^{/e e}:.env'"],
    ['a revision with free text', "git show 'HEAD@{0 seconds ago}:.env'"],
    ['a revision with free text', 'git cat-file blob "HEAD^{/e: e}:./.env"'],
    ['the lines of a function', 'git log -L :API:.env'],
    ['the lines of a function', 'git log -L:API:.env'],
    ['the lines of a function', "git log -L '/a:b/,+3:.env'"],
    ['a file of the root', 'cd sub && git show HEAD:.env'],
    ['a file of the root', 'git -C sub show HEAD:.env'],
    ['a file of the root', 'cd sub && git cat-file -p :.env'],
    ['a file of the root', 'cd sub && git diff HEAD:README.md HEAD:.env'],
    ['a file of the root', 'cd sub && git grep -h TOKEN -- :/'],
    ['a file of the root', "cd sub && git log -p -1 -- ':(top,glob)*env'"],
    ['a file of an unknown root', 'git -C unknown show HEAD:README.md'],
    ['two versions of a folder', 'git diff HEAD~1: HEAD:'],
    ['names in any case', 'git --icase-pathspecs log -p -1 -- .ENV'],
    ['names in any case', 'git --no-pager --icase-pathspecs grep -h TOKEN -- .Env'],
    ['the reflog', "git reflog HEAD -p -- '*nv'"],
    ['the reflog', "git reflog show -p HEAD -- ':(top).env'"],
  ])('%s: %s', async (_, command) => {
    expect(await behaviorOf(command, { deny: ['Read(./.env)'] })).not.toBe('allow')
  })

  test('a file whose name contains a blank', async () => {
    expect(await behaviorOf("git show 'HEAD:my key.pem'", { deny: ['Read(./my key.pem)'] })).not.toBe('allow')
  })

  test.each([
    'git show HEAD:README.md',
    'cd sub && git show HEAD:./.env.example',
    'git show v1.0^{commit}:src/a.ts',
    'git show stash@{1}:src/a.ts',
    'git log -L1,5:src/a.ts',
    "git log --grep 'fix: a typo'",
    "git grep -n 'TODO:' -- src",
    'git diff main feature -- src',
    'git reflog -5',
  ])('but not about %s', async (command) => {
    expect(await behaviorOf(command, { deny: ['Read(./.env)'] })).toBe('allow')
  })
})

describe('with a rule for a file, the user is asked about', () => {
  test.each([
    ['a folder that is compared', 'Read(./.env)', 'mkdir e; diff -N . e'],
    ['a folder that is compared', 'Read(./.env)', 'diff sub/.env .'],
    ['a folder that is compared', 'Read(./.env)', 'diff --from-file=. sub/.env'],
    ['a folder that is compared', 'Read(./.env)', 'sdiff sub/.env . || true'],
    ['a folder that is compared', 'Read(./.env)', 'git diff --no-index sub/.env .'],
    ['a folder that is compared', 'Read(./.env)', 'git diff /tmp/e .'],
    ['the parent of a link', 'Read(./.env)', 'ln -s sub/deep ld && cat ld/../../.env'],
    ['the parent of a link', 'Edit(/config/**)', 'ln -s sub/deep ld && echo 1 > ld/../../config/x'],
    ['a linked package', 'Read(./.env)', 'npm i ./sub && cat node_modules/s/../.env'],
    ['a linked package', 'Read(./sub/.env)', 'npm i ./sub && cat node_modules/s/.env'],
    ['an unpacked link', 'Read(./.env)', 'tar xf a.tar && cat l'],
    ['a restored link', 'Read(./.env)', 'git checkout -q lb && cat l'],
    ['a restored link', 'Read(./.env)', 'cd sub && git checkout -q lb && cat ../l'],
    ['a restored link', 'Read(./.env)', 'git switch -q lb && cat l'],
    ['a restored link', 'Read(./.env)', 'git checkout -b x lb && cat l'],
    ['a restored link', 'Read(./.env)', 'git merge -q --ff-only lb && head -1 l'],
    ['a restored link', 'Read(./.env)', 'git cherry-pick lb >/dev/null && grep -h TOKEN l'],
    ['a restored link', 'Read(./.env)', 'git reset -q --hard lb; cat l'],
    ['a restored link', 'Read(./.env)', 'git mv lk docs/lk2 && cat docs/lk2'],
    ['a restored link', 'Read(./.env)', 'git revert --no-edit HEAD >/dev/null; cat l'],
    ['a restored link', 'Read(./.env)', 'git stash pop -q; cat l'],
    ['a restored link', 'Read(./.env)', 'git pull -q ../o main; cat l'],
    ['a restored link', 'Read(./.env)', 'git rebase -q lb && cat l'],
    ['a restored link', 'Read(./.env)', 'git pull && git diff --no-index a l/b'],
    ['a restored link', 'Edit(/config/**)', 'git checkout -q lb && echo 2 > l'],
    ['a restored link', 'Edit(/config/**)', 'git checkout -q lb && touch l/new'],
    ['a restored link', 'Edit(/config/**)', 'git merge -q --ff-only lb; cp README.md l/'],
    ['a restored link', 'Read(~/.ssh/**)', 'git checkout -q lb && cat l/id_rsa'],
    ['a folder that is filled', 'Edit(/config/**)', 'cp -rT src .'],
    ['a folder that is filled', 'Edit(/config/**)', 'cp -r --no-target-directory src ./'],
    ['a folder that is filled', 'Edit(/config/n)', 'cp -rT src .'],
    ['a folder that is filled', 'Edit(/config/**)', 'cd sub && cp -rT ../src ..'],
    ['the whole repository', 'Edit(/config/**)', 'cd sub && git reset -q --hard'],
    ['the whole repository', 'Edit(/config/**)', 'git reset --keep main'],
    ['the whole repository', 'Edit(/config/**)', 'cd src && git stash -q'],
    ['the whole repository', 'Edit(/config/**)', 'cd /home/dev/proj2 && git stash -q'],
    ['the whole package', 'Edit(/config/**)', 'cd src && cargo fmt'],
    ['the whole package', 'Edit(/config/**)', 'cargo clippy --fix -p app'],
    ['the working folder', 'Edit(/config/**)', 'biome format --write'],
    ['the working folder', 'Edit(/config/**)', 'biome check --write'],
    ['the working folder', 'Edit(/config/**)', 'knip --fix --allow-remove-files'],
    ['the working folder', 'Edit(/config/**)', 'eslint --fix'],
    ['the working folder', 'Edit(/config/**)', 'eslint --fix --ext .ts'],
    ['the working folder', 'Edit(/config/**)', 'oxlint --fix-dangerously'],
    ['the working folder', 'Edit(/config/**)', 'standard --fix'],
    ['the working folder', 'Edit(/config/**)', 'ruff --fix'],
    ['the working folder', 'Edit(/config/**)', 'ruff check --fix'],
    ['the working folder', 'Edit(/config/**)', 'rubocop -a'],
    ['the working folder', 'Edit(package.json)', 'npx ncu -u'],
    ['a file beside another', 'Edit(/config/app.js)', 'tsc config/app.ts'],
    ['a file beside another', 'Edit(/config/app.d.ts)', 'tsc --declaration --emitDeclarationOnly config/app.ts'],
    ['a file beside another', 'Edit(/app.js)', 'tsc app.ts'],
    ['a folder named like its origin', 'Edit(/config/**)', 'git clone -q ../config.git'],
    ['a folder named like its origin', 'Edit(/config/**)', 'git clone -q ../config/.git'],
    ['a folder named like its origin', 'Edit(/config/**)', 'git clone -q ../config'],
  ])('%s (%s): %s', async (_, rule, command) => {
    expect(await behaviorOf(command, { deny: [rule] })).not.toBe('allow')
  })

  test.each([
    'git checkout main && npm test',
    'git pull && npm install',
    'git pull && npm test 2>/dev/null',
    'git checkout -b feature && cat README.md',
    'git pull && git log --oneline origin/main -- src',
    'git stash && git diff HEAD --stat',
    'git fetch && cat README.md',
    'npm ci && cat package.json',
    'diff a.txt b.txt',
    'diff -u ../a/x.txt sub/x.txt',
    'ln -s a b && cat ../x.txt',
  ])('but not about %s', async (command) => {
    expect(await behaviorOf(command, { deny: ['Read(./.env)'] })).toBe('allow')
  })
})

describe('a rule for edits of one folder does not concern', () => {
  test.each([
    'eslint --fix src',
    'eslint src/a.ts',
    'biome check --write src',
    'ruff check --fix src',
    'tsc --noEmit src/app.ts',
    'tsc -p .',
    'cargo build',
    'cp -r src dist',
    'git clone ../tool',
    'cd sub && git reset HEAD~1',
  ])('%s', async (command) => {
    expect(await behaviorOf(command, { deny: ['Edit(/config/**)'] })).toBe('allow')
  })
})

test.each([
  'git pull && echo done > log.txt',
  'git checkout main && npm run build > build.log',
  'tar xf a.tar && rm a.tar',
  'git stash && cp a.txt b.txt && git stash pop',
])('without a rule for files, a bare allow covers a write after files were restored: %s', async (command) => {
  expect(await behaviorOf(command, {})).toBe('allow')
})
