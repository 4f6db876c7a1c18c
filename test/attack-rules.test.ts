import { describe, expect, test } from 'vitest'
import {
  createFakePaths,
  createFixtureTool,
  decideOn,
  type FakeShell,
  type FixtureDecision,
  readStatedCommand,
} from '../src/permissions/fixture-calls.js'
import { analyseCommand } from '../src/shell/analyse-command.js'
import { FIXTURE_FOLDER, readAttackRows } from './lib/bash-safety-rows.js'

const MAX_NEEDLESS_QUESTION_SHARE = 0.05
const pathContext = { cwd: FIXTURE_FOLDER, homeDir: '/home/dev' }
/** One repository, as on the machine on which the rows were recorded. */
const repository = {
  problem: null,
  root: FIXTURE_FOLDER,
  settings: [],
  userSettings: [],
  namedFiles: [],
  foreignLinks: [],
  hasIndexHook: false,
  hasUnexaminedFolders: false,
  submodules: [],
}
const repositories = new Map(['', '/src', '/docs'].map((folder) => [FIXTURE_FOLDER + folder, repository]))
const shell: FakeShell = {
  analyse: ({ text }, cwd) => analyseCommand(text, { cwd, home: '/home/dev', repositories }),
}
/** The links of the folder in which the rows were recorded. */
const links = {
  [`${FIXTURE_FOLDER}/keylink`]: '/home/dev/.ssh/id_rsa',
  [`${FIXTURE_FOLDER}/homelink`]: '/home/dev',
}
const paths = {
  ...createFakePaths({ links }),
  // Of the files that rules deny, the folder contains only this one.
  entries: (folder: string) => (folder === FIXTURE_FOLDER ? [`${folder}/secret.txt`] : []),
}
const bash = createFixtureTool('Bash', { needs: ['shell'], command: readStatedCommand, runsOnlyItsCommand: true })

async function decide(command: string, conditions: FixtureDecision) {
  return decideOn(bash, { command }, { pathContext, shell, ...conditions })
}

async function findWrongRows(part: 2 | 3) {
  const wrongRows: string[] = []
  for (const { id, command, rules = {}, expected } of readAttackRows().filter((row) => row.part === part)) {
    const { behavior } = await decide(command, { rules, paths })
    if ((behavior === 'allow') !== (expected === 'allow')) wrongRows.push(`${id}: ${command}`)
  }
  return wrongRows
}

test('no attack evades a rule or writes to a protected place without a question', async () => {
  expect(await findWrongRows(2)).toEqual([])
})

test('nearly all everyday commands that only read are allowed', async () => {
  const wrongRows = await findWrongRows(3)
  const rows = readAttackRows().filter(({ part }) => part === 3)
  expect(wrongRows.length / rows.length, wrongRows.join('\n')).toBeLessThanOrEqual(MAX_NEEDLESS_QUESTION_SHARE)
})

const EVERYDAY_COMMANDS = [
  ...[
    "node -e '[1].map(x => x)'",
    'node script.js -p 3000',
    'node split.js --separator=/ a/b/c',
    'python3 manage.py -c x',
    "awk '$1 > 3' f",
  ],
  ...["npm test -- --grep 'a > b'", 'npm test', 'make test', 'cargo build', "git commit -m 'update .vscode => x'"],
  ...['git add .vscode/settings.json', 'npx eslint . --fix', 'docker build -t x .', 'rm -rf node_modules dist'],
  ...[
    'npm run build 2>&1 | tee build.log',
    'cat <<E > out.txt\nhi\nE',
    'f() { echo hi; }; f',
    "psql -c 'select 1 > 0'",
  ],
  ...["gh pr create --title 'x > y' --body 'see .bashrc'", 'source venv/bin/activate && pip install x'],
  ...["python3 - <<'E'\nprint(1 > 0)\nE", 'cd packages/a && npm test', "find . -name '*.pyc' -delete"],
]

describe.each(EVERYDAY_COMMANDS)('%s', (command) => {
  test('runs if a rule allows Bash', async () => {
    expect((await decide(command, { rules: { allow: ['Bash'] } })).message).toBe('')
  })

  test('runs in bypassPermissions mode', async () => {
    expect((await decide(command, { mode: 'bypassPermissions' })).behavior).toBe('allow')
  })
})

test.each([
  ...['npm test', 'make test', 'python3 script.py', 'node server.js', 'node script.js -p 3000', 'cargo build'],
  ...[
    'npm run build && npm test',
    'npm run lint > /tmp/lint.log; npm test',
    'cat log | python3 parse.py',
    'node --test',
  ],
  ...['echo hi > a.txt && git add a.txt && git commit -m x', 'go test ./...'],
  ...["git commit -m 'rm old file'", 'git rm x', 'docker rm x', 'npm install rm', 'chmod +x run.sh && ./run.sh'],
])('%s runs although a rule denies rm', async (command) => {
  expect((await decide(command, { rules: { allow: ['Bash'], deny: ['Bash(rm:*)'] } })).behavior).toBe('allow')
})

test('a command that names a protected file after 500 other words needs approval', async () => {
  const words = Array.from({ length: 500 }, (_, index) => `f${index}`).join(' ')
  expect((await decide(`tool ${words} .git/config`, { rules: { allow: ['Bash'] } })).behavior).toBe('ask')
})

test('a command that writes to an unknown file needs approval unless a sandbox protects important files', async () => {
  const rules = { allow: ['Bash'] }
  const confinedBash = createFixtureTool('Bash', {
    ...{ needs: ['shell'], command: readStatedCommand, runsOnlyItsCommand: true },
    checkPermissions: async () => ({ behavior: 'passthrough', isConfined: true }),
  })
  for (const command of ['echo x > "$f"', 'eval "$x"', '{ echo x; } > "$f"']) {
    expect((await decide(command, { rules })).behavior).toBe('ask')
    expect((await decideOn(confinedBash, { command }, { pathContext, shell, rules })).behavior).toBe('allow')
  }
  expect(
    (await decideOn(confinedBash, { command: 'echo x > .git/config' }, { pathContext, shell, rules })).behavior,
  ).toBe('ask')
})

test('a permission question names the part of a command that needs approval, and the reason', async () => {
  const readMessage = async (command: string, allowRules: readonly string[] = []) =>
    (await decide(command, { rules: { allow: allowRules } })).message

  expect(await readMessage('ls && npm run build && git status', ['Bash(npm test:*)'])).toBe(
    "Bash needs approval: 'npm run build' may change things, and no rule allows it.",
  )
  expect(await readMessage('npm test && mkdir made', ['Bash(npm test:*)'])).toBe(
    "Bash needs approval: 'mkdir made' writes files, and no rule allows it.",
  )
  expect(await readMessage('cat /etc/passwd')).toBe(
    "Bash needs approval: 'cat /etc/passwd' reads /etc/passwd, outside the working directories, and no rule allows it.",
  )
  expect(await readMessage('rm -rf /')).toBe('Bash needs approval: it would delete / and everything in it.')
})

test.each(['crontab - <<< x', 'echo x | crontab -', 'crontab jobs.txt', 'tee ~/.config/systemd/user/x.service'])(
  '%s needs approval even if a rule allows Bash, because it schedules commands',
  async (command) => {
    expect((await decide(command, { rules: { allow: ['Bash'] } })).message).toMatch(/a schedule of commands/)
    expect((await decide('crontab -l', { rules: { allow: ['Bash'] } })).behavior).toBe('allow')
  },
)
