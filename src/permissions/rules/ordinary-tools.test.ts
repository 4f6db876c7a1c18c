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
    ['code outside the project', 'git push', 'pytest /usr/lib/x/test_x.py'],
    ['code outside the project', 'git push', 'python3 -m unittest discover -s /usr/lib/x'],
    ['code outside the project', 'git push', 'node --test a.test.js /usr/lib/x.js'],
    ['code outside the project', 'git push', 'nodemon /usr/lib/x.js'],
    ['code outside the project', 'git push', 'ninja -C /usr/src/x'],
    ['code outside the project', 'git push', 'cmake /usr/src/x'],
    ['code outside the project', 'git push', 'mocha .././.././.././usr/lib/x.js'],
    ['code outside the project', 'git push', 'tape ../..//../..//usr/lib/x.js'],
    ['code outside the project', 'git push', '/usr/src/x/gradlew build'],
    ['code outside the project', 'git push', '/usr/src/x/run.sh --version'],
    ['code outside the project', 'git push', 'c8 --reporter=/usr/lib/x.js node a.js'],
    ['code outside the project', 'git push', 'knip --reporter /usr/lib/x.js'],
    ['code outside the project', 'git push', 'depcruise -T plugin:/usr/lib/x.js src'],
    ['code outside the project', 'git push', 'ts-node -P /usr/lib/x/tsconfig.json a.ts'],
    ['code outside the project', 'git push', 'hereby --herebyfile /usr/lib/x.mjs'],
    ['a pattern for the shell of another machine', 'git push', "ssh host '{git,push}'"],
    ['a pattern for the shell of another machine', 'rm', "ssh host '/bin/r? x'"],
    ['another spelling of a git command', 'git push', 'ssh host git-push origin'],
    ['another spelling of a git command', 'git push', 'npm run x -- "git-push origin"'],
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
    ['what a tool starts by itself', 'npm publish', 'pnpm publish --no-git-checks'],
    ['what a tool starts by itself', 'docker push', 'docker compose build --push'],
    ['what a tool starts by itself', 'git fetch', 'git remote add -f up ../x'],
    ['what a tool starts by itself', 'git clone', 'git submodule update --init'],
    ['what a tool starts by itself', 'git clone', 'npm install git+https://example.com/x.git'],
    ['what a tool starts by itself', 'git clone', 'pip install git+https://example.com/x.git'],
    ['what a tool starts by itself', 'ssh', 'git clone git@example.com:x/y.git'],
    ['what a tool starts by itself', 'ssh', 'tar cf host:x.tar src'],
    ['what a tool starts by itself', 'gzip', 'tar czf x.tgz src'],
    ['what a tool starts by itself', 'grep', 'zgrep x a.gz'],
    ['what a tool starts by itself', 'make', 'cmake --build build'],
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
    'pytest -q tests /home/dev/proj/more',
    'ssh host uptime',
    'git clone https://example.com/x.git',
    'npm install --registry http://localhost:4873 @scope/x',
    'rimraf node_modules ../dist',
    'tsc --outDir /var/www/x',
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
    ['Edit(./web/package.json)', 'npm install --prefix web x'],
    ['Edit(./web/yarn.lock)', 'yarn --cwd web install'],
    ['Edit(./web/Cargo.lock)', 'cargo check --manifest-path web/Cargo.toml'],
    ['Edit(./web/Cargo.toml)', 'cargo new web'],
    ['Read(./.env)', 'cat /dev/fd/../cwd/.env'],
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
