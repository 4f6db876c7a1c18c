import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import type { RepositoryFacts } from '../../shell/git/repository-facts.js'
import { decideOn, fakePaths, fixtureTool, statedCommand } from '../fixture-calls.js'

const cwd = '/home/dev/proj'
const bash = fixtureTool('Bash', { needs: ['shell'], command: statedCommand, runsOnlyItsCommand: true })
const repository: RepositoryFacts = {
  problem: null,
  settings: [],
  userSettings: [],
  namedFiles: [],
  hasIndexHook: false,
  submodules: [],
}
const otherRepository = { ...repository, problem: 'runs a program' }

async function behaviorOf(command: string, rules: { allow?: string[]; deny?: string[] }): Promise<string> {
  const { behavior } = await decideOn(
    bash,
    { command },
    {
      pathContext: { cwd, homeDir: '/home/dev' },
      shell: {
        analyse: ({ text }, folder) =>
          analyseCommand(text, {
            cwd: folder,
            home: '/home/dev',
            repositories: new Map([
              [cwd, repository],
              [`${cwd}/other`, otherRepository],
            ]),
          }),
      },
      paths: { ...fakePaths({}), entries: (folder: string) => (folder === cwd ? [`${cwd}/.env`] : []) },
      rules: { allow: ['Bash'], ...rules },
    },
  )
  return behavior
}

describe('with a denied program, the user is asked about', () => {
  test.each([
    ['text that bash evaluates', "x='a[$(rm v)]'; echo $((x))"],
    ['text that bash evaluates', `x='$(rm v)'; echo "\${x@P}"`],
    ['text that bash evaluates', "[[ -v 'a[$(rm v)]' ]]"],
    ['text that bash evaluates', "x='a[$(rm v)]'; [[ x -eq 1 ]]"],
    ['text that bash evaluates', `x='a[$(rm v)]'; echo \${y[x]}`],
    ['text that bash evaluates', "declare -n r='a[$(rm v)]'; echo $r"],
    ['a function in the environment', 'env \'BASH_FUNC_ls%%=() { r""m v; }\' bash -c ls'],
    ['another path of the input', 'printf \'zz:;r""m v\' | make -f /dev//stdin zz'],
    ['another path of the input', "echo 'rm v' | bash /proc//self/fd/0"],
    ['another path of the input', "cd /dev && echo 'rm v' | bash stdin"],
    ['configuration in the input', 'printf x | MAKEFILES=/dev/stdin make zz'],
    ['configuration in the input', 'GIT_CONFIG_GLOBAL=/dev/stdin git status < c'],
    ['configuration in the input', 'printf x | npm test --userconf=/dev/stdin'],
    ['an editor that gets the input', "echo 'exec rm v' | GIT_SEQUENCE_EDITOR=tee git rebase -i HEAD"],
    ['a shell or debugger that gets the input', "echo 'rm v' | npm exec"],
    ['a shell or debugger that gets the input', 'echo x | pytest --trace a.py'],
    ['a pattern in code', "vim -es '+set mp=/bin/r[m]' '+make v' +q"],
    ['a pattern that names the program', 'ssh-agent /usr/bin/r[[=m=]] v'],
    ['a pattern that names the program', 'ssh-agent /usr/bin/r[]m] v'],
    ['a program that find selects', "find /usr -path '/usr/bin/rm' -exec ssh-agent {} v ';'"],
    ['an option that runs a program', 'git fetch --upload-pack=./x.sh .'],
    ['an option that runs a program', 'git grep -O./x.sh k'],
    ['an option that runs a program', 'tar cfI x.tar ./x.sh a'],
    ['an option that runs a program', 'tar -cf x.tar --use-comp=./x.sh a'],
    ['an option that runs a program', 'scp -D ./x.sh a h:'],
    ['an option that runs a program', 'wget -qe use_askpass=./x.sh http://h/'],
    ['an option that runs a program', 'npm --script-s ./x.sh test'],
    ['an option that runs a program', 'pip --python ./x.sh list'],
    ['an option that runs a program', "apt-get -qo APT::Update::Pre-Invoke::='./x.sh' update"],
    ['code of make', "make --eval='zz:;./x.sh' zz"],
    ['a sign before a name', "make --eval=$'zz:\\n\\t-rm v' zz"],
    ['a script after a variable', "npm exec -c 'A=1 . ./c.txt'"],
    ['a written script with another path', 'echo x > /tmp/h/x.py; python3 link/h/x.py'],
    ['a written script with another path', 'echo x > /tmp/h/x.py; python3 /tm?/h/x.py'],
  ])('%s: %s', async (_, command) => {
    expect(await behaviorOf(command, { deny: ['Bash(rm:*)'] })).not.toBe('allow')
  })

  test('a pattern that may mean a denied script', async () => {
    expect(await behaviorOf("tool './d*.{sh,x}'", { deny: ['Bash(deploy.sh:*)'] })).not.toBe('allow')
  })

  test.each([
    'count=0; for f in a b; do ((count++)); done; echo $count',
    'n=$(ls | wc -l); if [[ $n -gt 3 ]]; then echo $((n * 2)); fi',
    `arr=(a b); for i in 0 1; do echo \${arr[i]} \${#arr[@]}; done`,
    'cat data.json | python3 script.py',
    'make CC=gcc all',
    'make SHELL=/bin/bash all',
    'npm install --global json5',
    "tape 'test/**/*.{js,ts}'",
    'git push -u origin main',
    'sqlite3 app.db "SELECT * FROM users"',
    'tar czf out.tgz src',
    'env A=1 npm test',
    'cat report.tap | faucet',
  ])('but not about %s', async (command) => {
    expect(await behaviorOf(command, { deny: ['Bash(rm:*)'] })).toBe('allow')
  })
})

describe('with a rule for a file, the user is asked about', () => {
  test.each([
    ['Read(./secret/**)', 'tar -cf - -C src ../secret/key.txt'],
    ['Read(./secret/**)', 'cmake -E chdir src cat ../secret/key.txt'],
    ['Read(./secret/**)', 'git config --blob HEAD:secret/key.cfg --list'],
    ['Read(./secret/**)', "tool 's*t/key.txt'"],
    ['Read(./secret/**)', "tool 'src/../{secret,x}/*.txt'"],
    ['Read(.env)', 'npm pack'],
    ['Read(.env)', 'cmake -E tar cf /tmp/x.tar .'],
    ['Edit(/victim.txt)', 'curl -s --output-dir src -o ../victim.txt http://h/a'],
    ['Edit(/victim.txt)', 'curl -O http://h/victim.txt'],
    ['Edit(/victim.txt)', 'tar -xf d.tar --strip-components=1'],
    ['Edit(/victim.txt)', 'unzip -qoj d.zip d/victim.txt'],
    ['Edit(config/**)', 'git clean -qdXf'],
    ['Edit(config/**)', 'git reset -q --har'],
    ['Edit(config/**)', `ctags -${'R'.repeat(12)}fconfig/tags src`],
    ['Edit(config/**)', `ctags -${'R'.repeat(80)}fconfig/tags src`],
    ['Edit(config/**)', `git restore ${'./'.repeat(2_100)}config/app.json`],
    ['Read(./secret/**)', 'shopt -s cdable_vars; d=secret; cd d; cat key.txt'],
    ['Edit(.env)', 'gunzip -f .env.gz'],
    ['Edit(.env)', 'split -a1 --additional-suffix=v a.txt .e'],
    ['Edit(.env)', 'cp -b -S v a.txt .en'],
    ['Edit(.env)', 'git checkout -m .env'],
    ['Edit(.env)', 'git stash'],
    ['Edit(.env)', 'git reset --hard'],
    ['Edit(.env)', 'cmake -E copy_directory overlay .'],
  ])('%s: %s', async (rule, command) => {
    expect(await behaviorOf(command, { deny: [rule] })).not.toBe('allow')
  })

  test.each([
    ['Read(./.env)', 'eslint .'],
    ['Read(./.env)', "prettier --check '**/*.md'"],
    ['Read(./.env)', 'tape test/*.js'],
    ['Read(./.env)', "node --test 'test/**/*.test.js'"],
    ['Read(./.env)', 'vitest --config vitest.config.ts'],
    ['Read(./.env)', 'tar xzf a.tgz'],
    ['Edit(.env)', 'git stash list'],
    ['Edit(.env)', 'git reset HEAD~1'],
    ['Edit(/config/a)', 'split -l 9 a.txt part_'],
    ['Edit(/config/a)', 'tar xzf a.tgz -C dist'],
  ])('but %s does not concern %s', async (rule, command) => {
    expect(await behaviorOf(command, { deny: [rule] })).toBe('allow')
  })
})

describe('an allow rule', () => {
  test.each([
    ['Bash(git fetch:*)', 'git fetch --upload-pack=./evil.sh .'],
    ['Bash(git diff:*)', 'cd other && git diff HEAD'],
    ['Bash(tar:*)', 'tar cIf ./evil.sh x.tar a.txt'],
    ['Bash(npm run build:*)', 'npm run build --script-shell=./evil.sh'],
    ['Bash(make all:*)', 'make all SHELL=./evil.sh'],
    ['Bash(sftp:*)', 'sftp -S ./evil.sh h:'],
    ['Bash(curl:*)', 'printf x | curl -sK -'],
  ])('%s does not cover %s', async (rule, command) => {
    expect(await behaviorOf(command, { allow: [rule] })).not.toBe('allow')
  })

  test.each([
    ['Bash(git fetch:*)', 'git fetch --all --prune'],
    ['Bash(make all:*)', 'make all VERSION=1.2'],
    ['Bash(npm run build:*)', 'npm run build -- --watch'],
    ['Bash(tar:*)', 'tar czf x.tgz src'],
  ])('%s covers %s', async (rule, command) => {
    expect(await behaviorOf(command, { allow: [rule] })).toBe('allow')
  })
})
