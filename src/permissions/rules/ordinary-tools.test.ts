import { describe, expect, test } from 'vitest'
import { behaviorOf } from '../fixture-commands.js'

describe('with a denied command, the user is asked about', () => {
  test.each([
    ['an option that names a program or code', 'git push', 'ncu --doctorTest ./x'],
    ['an option that names a program or code', 'git push', 'webpack serve --open-app-name ./x'],
    ['an option that names a program or code', 'git push', 'eslint --resolve-plugins-relative-to ./x .'],
    ['an option that names a program or code', 'git push', 'jest --runner ./x.js'],
    ['an option that names a program or code', 'git push', 'ava --node-arguments=--require=./x.js'],
    ['an option that names a program or code', 'git push', 'vitest --poolOptions.forks.execArgv=--require=./x.cjs'],
    ['an option that names a program or code', 'git push', 'vite --open ./x'],
    ['code outside the project', 'git push', 'eslint -c /usr/lib/x.js a'],
    ['code outside the project', 'git push', 'prettier --plugin=/usr/lib/x.js a'],
    ['code outside the project', 'git push', 'eslint -c node_modules/x/cli.js a'],
    ['code outside the project', 'git push', 'mocha -r npm/bin/npm-cli.js push'],
    ['code outside the project', 'git push', 'mocha node_modules/x/cli.js'],
    ['code outside the project', 'git push', 'make -C /usr/src/x'],
    ['code outside the project', 'git push', 'npm --prefix /usr/lib/x run y'],
    ['code outside the project', 'git push', 'cd /usr/lib/node_modules/npm && npm test'],
    ['a command in one argument', 'git push', 'npm run x -- "git push"'],
    ['a command in one argument', 'git push', "./run.sh 'git push'"],
    ['an interpreter with code', 'rm', 'pm2 start perl -- -e "exec q=rm=,q=v="'],
    ['what a tool starts by itself', 'git push', 'np'],
    ['what a tool starts by itself', 'git push', 'npx release-it --ci'],
    ['what a tool starts by itself', 'git push', 'gh pr create --fill'],
    ['what a tool starts by itself', 'npm publish', 'changeset publish'],
    ['what a tool starts by itself', 'git commit', 'npm version patch'],
    ['what a tool starts by itself', 'npm run deploy', 'run-s build deploy'],
    ['what a tool starts by itself', 'npm run deploy', "run-s 'dep*'"],
    ['what a tool starts by itself', 'npm run deploy', 'concurrently npm:deploy'],
    ['a variable that names the program', 'rm', 'TEST_CMD=rm npm test'],
  ])('%s (%s): %s', async (_, denied, command) => {
    expect(await behaviorOf(command, { deny: [`Bash(${denied}:*)`] })).not.toBe('allow')
  })

  test.each([
    'eslint -c eslint.config.js --max-warnings 0 src',
    'mocha --require test/support/env --reporter spec --check-leaks test/',
    'npx prettier --check --ignore-path ../../.prettierignore .',
    'npm --prefix /home/dev/proj/web run build',
    'esbuild src/a.ts --bundle --external:fs --outfile=dist/a.js',
    'tsc -p tsconfig.build.json --noEmit',
    'yarn generate-esm && yarn check-types',
    'npm run x -- "some text"',
    'standard-version',
    'run-s build test',
  ])('but not about %s', async (command) => {
    expect(await behaviorOf(command, { deny: ['Bash(git push:*)', 'Bash(npm run deploy:*)'] })).toBe('allow')
  })
})

describe('with a rule for a file, the user is asked about', () => {
  test.each([
    ['Read(./config/**)', 'prettier .'],
    ['Read(./config/**)', 'babel .'],
    ['Edit(/config/**)', 'go fmt ./...'],
    ['Edit(/config/**)', 'ruff format'],
    ['Edit(/config/**)', 'gts fix'],
    ['Edit(/config/**)', 'lint-staged'],
    ['Edit(app.js)', 'tsc src/app.ts'],
    ['Edit(package.json)', 'npm install x'],
    ['Edit(package.json)', 'prettier --write .'],
    ['Edit(.env)', 'eslint --fix .'],
  ])('%s: %s', async (rule, command) => {
    expect(await behaviorOf(command, { deny: [rule] })).not.toBe('allow')
  })

  test.each([
    ['Read(./config/**)', 'prettier --check .'],
    ['Edit(./.git/**)', 'prettier --write .'],
    ['Edit(./.git/**)', 'tsc -b tsconfig.json'],
    ['Edit(secret.ts)', 'eslint --fix .'],
    ['Edit(src/**)', 'npm install x'],
  ])('but %s does not concern %s', async (rule, command) => {
    expect(await behaviorOf(command, { deny: [rule] })).toBe('allow')
  })
})
