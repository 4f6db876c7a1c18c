import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { testWithProgram } from '../../testing/test-with-program.js'
import { SandboxFixture } from './fixture-sandbox.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

test('the probe reports that this machine can confine commands', async () => {
  expect(await fixture.openSandbox().status()).toEqual({
    isAvailable: true,
    reason: expect.stringContaining('bwrap'),
    byDefault: 'none',
  })
})

test('a command can write only to the working folder and its temporary folder', async () => {
  const outsidePath = join(fixture.root, 'outside')
  const insidePath = join(fixture.project, 'inside')

  const run = await fixture.run(
    fixture.openSandbox(),
    `echo in > inside && f=$(mktemp) && echo tmp > "$f" && cat inside "$f" && echo out > ${outsidePath}`,
  )

  expect(run).toMatchObject({ exitCode: 1, confinement: 'workspace' })
  expect(run.output).toMatch(/^in\ntmp\n.*Read-only file system/s)
  expect([readFileSync(insidePath, 'utf8'), existsSync(outsidePath)]).toEqual(['in\n', false])
  expect(run.refusals[0]).toContain(`refused a write to ${outsidePath}: only ${fixture.project}, $TMPDIR are writable`)
  expect(run.refusals.at(-1)).toContain('dangerouslyDisableSandbox: true')
})

test('a command that is confined to other folders can write there and not in the project', async () => {
  const worktree = fixture.makeFolder('project/.haft/worktrees/one')

  const run = await fixture.run(fixture.openSandbox(), 'echo in > inside; echo out > ../../../outside', {
    cwd: worktree,
    folders: [worktree],
  })

  expect(run.exitCode).toBe(1)
  expect([existsSync(join(worktree, 'inside')), existsSync(join(fixture.project, 'outside'))]).toEqual([true, false])
})

test('a read-only command can write only to a temporary folder that is removed after the command', async () => {
  writeFileSync(join(fixture.project, 'big'), Array.from({ length: 100_000 }, (_, i) => `${i * 7919}`).join('\n'))

  const sortOutcome = await fixture.run(fixture.openSandbox(), 'sort -n -S 100k big | tail -1; ls -A "$TMPDIR"', {
    confinement: 'read-only',
  })
  const writeOutcome = await fixture.run(fixture.openSandbox(), 'echo x > file', { confinement: 'read-only' })

  expect(sortOutcome).toMatchObject({ exitCode: 0, output: '791892081\n', refusals: [] })
  expect(writeOutcome.exitCode).toBe(1)
  expect(writeOutcome.refusals[0]).toContain('can write only to $TMPDIR')
  expect(readdirSync(fixture.project)).toEqual(['big'])
})

test('hidden files and folders cannot be read, directly or through a link', async () => {
  const secret = join(fixture.home, 'secret.txt')
  const keys = fixture.makeFolder('home/keys')
  writeFileSync(secret, 'TOP')
  writeFileSync(join(keys, 'id'), 'KEY')
  symlinkSync(secret, join(fixture.project, 'innocent'))
  symlinkSync(keys, join(fixture.project, 'folder'))
  symlinkSync(keys, join(fixture.home, 'alias'))
  // One setting names a link, whose target must be hidden.
  const sandbox = fixture.openSandbox({
    denyRead: [secret, join(fixture.home, 'alias'), join(fixture.home, 'not-there')],
  })

  for (const confinement of ['workspace', 'read-only'] as const) {
    for (const name of [secret, 'innocent', 'folder/id', join(keys, 'id'), `/proc/self/root${secret}`]) {
      const run = await fixture.run(sandbox, `cat '${name}'`, { confinement })
      expect(run, name).toMatchObject({ exitCode: 1, output: expect.stringContaining('Permission denied') })
    }
    expect((await fixture.run(sandbox, `ls ${keys}`, { confinement })).exitCode).toBe(2)
  }
  const { refusals } = await fixture.run(sandbox, `cat ${secret}`)
  expect(refusals[0]).toBe(
    `The sandbox hides ${secret}: it is in sandbox.denyRead of the settings, or a rule for reading denies it or asks for it.`,
  )
})

test('a hard link to a hidden file can be read, because it cannot be detected', async () => {
  const secret = join(fixture.home, 'secret.txt')
  writeFileSync(secret, 'TOP')
  linkSync(secret, join(fixture.project, 'second-name'))

  expect((await fixture.run(fixture.openSandbox({ denyRead: [secret] }), 'cat second-name')).output).toBe('TOP')
})

test('a working folder inside a hidden one stays usable, and its neighbours stay hidden', async () => {
  writeFileSync(join(fixture.home, 'secret'), 'TOP')
  const sandbox = fixture.openSandbox({ denyRead: [fixture.root] })

  const run = await fixture.run(sandbox, `echo x > file && cat file; ls ${fixture.root}; cat ${fixture.home}/secret`)
  const readOutcome = await fixture.run(sandbox, 'cat file', { confinement: 'read-only' })

  expect(run.output).toMatch(/^x\n/)
  expect(run.output).not.toContain('TOP')
  expect(run.output).toMatch(/cannot open directory .*Permission denied/)
  expect(readOutcome.output).toBe('x\n')
})

test('a link out of the working folder does not make its target writable', async () => {
  const otherFolder = fixture.makeFolder('other')
  symlinkSync(otherFolder, join(fixture.project, 'link'))

  const run = await fixture.run(
    fixture.openSandbox({ allowWrite: [join(fixture.project, 'link/..', 'project')] }),
    'echo x > link/file',
  )

  expect(run.exitCode).toBe(1)
  expect(readdirSync(otherFolder)).toEqual([])
})

test('allowWrite adds folders, and denyWrite excludes them, even before they exist', async () => {
  const extraFolder = fixture.makeFolder('extra')
  mkdirSync(join(fixture.project, 'fixed'))
  const sandbox = fixture.openSandbox({
    allowWrite: [extraFolder],
    denyWrite: [join(fixture.project, 'fixed'), join(fixture.project, 'later/deep')],
  })

  const allowedResult = await fixture.run(sandbox, `echo x > ${extraFolder}/file`)
  const deniedResult = await fixture.run(sandbox, 'echo x > fixed/file; mkdir -p later/deep; mv fixed elsewhere')

  expect(allowedResult.exitCode).toBe(0)
  expect(deniedResult.exitCode).not.toBe(0)
  expect(readdirSync(fixture.project)).toEqual(['fixed'])
  expect(readdirSync(join(fixture.project, 'fixed'))).toEqual([])
  expect(deniedResult.refusals.join()).toContain(join(fixture.project, 'fixed'))
})

const ATTACK_COMMANDS = [
  'echo evil > .git/hooks/post-checkout',
  'echo evil > .git/config',
  'rm -f .git/config',
  'mv .git .git-old',
  'mv .git/hooks .git/old && mkdir .git/hooks && echo evil > .git/hooks/x',
  'git config core.fsmonitor evil',
  'mkdir -p .haft && echo {} > .haft/settings.json',
  'rm -rf .haft; mkdir .haft && echo {} > .haft/settings.json',
  'mkdir -p .claude && echo {} > .claude/settings.json',
  'echo evil > .mcp.json',
  'rm -f .mcp.json; echo evil > .mcp.json',
  'rmdir .mcp.json 2>/dev/null || mv .mcp.json old; echo evil > .mcp.json',
  'ln -sf /tmp/evil .mcp.json',
  'echo evil >> .envrc',
  'echo evil > packages/one/.vscode/tasks.json',
  'ln -sf /tmp/evil .git/config',
]

for (const existing of ['none of them exists yet', 'all of them exist'] as const) {
  test(`files that could run programs later cannot be written in a working folder, if ${existing}`, async () => {
    if (existing === 'all of them exist') {
      execFileSync('git', ['init', '-q', fixture.project])
      for (const name of ['.haft', '.claude', 'packages/one/.vscode'])
        mkdirSync(join(fixture.project, name), { recursive: true })
      for (const name of ['.mcp.json', '.envrc', 'packages/one/.vscode/tasks.json'])
        writeFileSync(join(fixture.project, name), 'good')
    }
    const treeBefore = listTree(fixture.project)
    const sandbox = fixture.openSandbox()
    const attacks =
      existing === 'all of them exist'
        ? ATTACK_COMMANDS
        : ATTACK_COMMANDS.filter((attack) => !/envrc|packages|^rm -f/.test(attack))

    for (const attack of attacks) {
      const run = await fixture.run(sandbox, `set -e; ${attack}`)
      expect(run.exitCode, attack).not.toBe(0)
      expect(listTree(fixture.project), attack).toEqual(treeBefore)
    }
  })
}

test('a refused write to the git configuration is explained', async () => {
  execFileSync('git', ['init', '-q', fixture.project])

  const { exitCode, refusals } = await fixture.run(fixture.openSandbox(), 'git config user.name me')

  expect(exitCode).not.toBe(0)
  expect(refusals[0]).toContain(`refused a write to ${fixture.project}/.git/config`)
})

test('a command cannot redirect a worktree to another repository, and a single file can be made writable', async () => {
  const file = join(fixture.root, 'file')
  writeFileSync(file, '')
  writeFileSync(join(fixture.project, '.git'), 'gitdir: /nowhere')
  const sandbox = fixture.openSandbox({ allowWrite: [file] })

  const run = await fixture.run(sandbox, `echo x > ${file} && cat ${file} && echo evil > .git`)

  expect(run.output).toMatch(/^x\n.*Read-only/s)
  expect(run.refusals[0]).toContain(`refused a write to ${fixture.project}/.git`)
})

test('commits work in a sandboxed repository', async () => {
  execFileSync('git', ['init', '-q', fixture.project])
  writeFileSync(join(fixture.project, 'file'), 'x')

  const run = await fixture.run(
    fixture.openSandbox(),
    'git add file && git -c user.name=me -c user.email=me@example.com commit -qm first && git log --format=%s && git checkout -qb other',
  )

  expect(run).toMatchObject({ exitCode: 0, output: 'first\n', refusals: [] })
})

test('a folder with special characters in its name is confined like any other', async () => {
  for (const name of ['with space', 'quote\'"s', 'line\nbreak', '--bind', '$(touch oops)', '-', 'back\\slash', '*']) {
    const folder = fixture.makeFolder(`project/${name}`)
    const run = await fixture.run(
      fixture.openSandbox({}, { workingFolders: () => [folder] }),
      'pwd; echo x > file; echo y > ../out',
      {
        cwd: folder,
      },
    )

    expect(run.output, name).toContain(`${folder}\n`)
    expect([existsSync(join(folder, 'file')), existsSync(join(fixture.project, 'out'))]).toEqual([true, false])
  }
})

test('the private files of the sandbox are protected even inside a writable folder', async () => {
  const sandbox = fixture.openSandbox({ allowWrite: [fixture.root] })

  const run = await fixture.run(
    sandbox,
    `cd ${fixture.root}/temporary/haft-sandbox-*/ && ls && echo > tmp/file; echo evil > filter; mv ../haft-sandbox-* ../x`,
  )

  expect(run.output).toMatch(/filter: Read-only file system.*busy/s)
})

function listTree(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return entry.isFile() ? `${path} ${readFileSync(path, 'utf8')}` : path
    })
    .sort()
}

test('files that redirect git to another configuration cannot be created, or are removed after the command', async () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: fixture.project, encoding: 'utf8' })
  git('init', '--quiet')
  const evilConfig = '[core]\n\tfsmonitor = touch run; true\n'
  writeFileSync(join(fixture.project, 'evil'), evilConfig)

  const commands = [
    'cp -r .git other && cat evil >> other/config && echo ../other > .git/commondir',
    'ln -s ../evil .git/commondir',
    'cp -r .git/HEAD .git/objects .git/refs . && cp evil config && rm .git/HEAD',
  ]
  const exitCodes: unknown[] = []
  for (const command of commands) exitCodes.push((await fixture.run(fixture.openSandbox(), command)).exitCode)

  expect(exitCodes).toEqual([1, 1, 0])
  expect(readdirSync(join(fixture.project, '.git'))).not.toContain('commondir')
  expect(readdirSync(fixture.project)).not.toContain('HEAD')
  expect(() => git('status')).toThrow('not a git repository')
  expect(readdirSync(fixture.project)).not.toContain('run')
})

test('a file named HEAD is kept in a folder that is not a repository', async () => {
  expect(await fixture.run(fixture.openSandbox(), 'echo x > HEAD')).toMatchObject({ exitCode: 0 })
  expect(readdirSync(fixture.project)).toEqual(['HEAD'])
})
