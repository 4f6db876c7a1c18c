import { execFileSync } from 'node:child_process'
import { devNull } from 'node:os'

/** Environment variables that give git a neutral identity and hide the machine's configuration. */
export const GIT_TEST_ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_SYSTEM: devNull,
  GIT_AUTHOR_NAME: 'A U Thor',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'C O Mitter',
  GIT_COMMITTER_EMAIL: 'committer@example.com',
}

/**
 * Creates a small repository with everything that commands inspect: history, branches, tags, a stash, a staged file, a changed
 * file of a different size, an ignored file, and a program that creates a marker file when it runs. Its files are older
 * than its index.
 */
const SCRIPT = `
set -e
git init -q -b main .
mkdir src evilbin docs node_modules
printf '#!/bin/sh\\ntouch "$HAFT_MARK"\\ncat\\n' > evil.sh
chmod +x evil.sh
printf '# Fixture\\n\\nTODO: write more\\n' > README.md
printf 'alpha\\nbeta\\ngamma\\n' > a.txt
printf 'alpha\\nBETA\\ngamma\\n' > b.txt
printf '{ "name": "fixture", "version": "1.0.0" }\\n' > package.json
printf 'node_modules/\\n*.log\\n' > .gitignore
printf 'export const one = 1 // TODO\\n' > src/utils.js
printf 'export const two = 2\\n' > src/app.ts
printf 'guide\\n' > docs/guide.md
printf 'x\\n' > debug.log
printf 'module.exports = {}\\n' > node_modules/index.js
age_files() { find . -path ./.git -prune -o -type f -exec touch -d '2020-01-01 00:00:00' {} +; }
age_files
git add -A && git commit -qm 'feat: first' && git tag v1.0.0
git branch develop && git branch topic
printf 'export const three = 3\\n' >> src/utils.js
age_files && git commit -qam 'feat: change 2' && git tag -a -m 'second' v1.1.0
printf 'export const four = 4\\n' >> src/utils.js
age_files && git commit -qam 'fix: change 3'
git update-ref refs/remotes/origin/main HEAD~1
git config remote.origin.url https://example.com/fixture.git
git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
printf 'stashed\\n' >> src/app.ts && git stash push -q -m work
printf 'staged\\n' > staged.txt && git add staged.txt
printf 'export const five = 5\\n' >> src/app.ts
age_files
git notes add -m 'a note' HEAD
git update-index --refresh -q || true
`

/** Creates the repository in an empty folder. Requires git and bash. */
export function makeGitFixture(folder: string): void {
  execFileSync('bash', ['-c', SCRIPT], { cwd: folder, env: GIT_TEST_ENVIRONMENT, stdio: 'pipe' })
}
