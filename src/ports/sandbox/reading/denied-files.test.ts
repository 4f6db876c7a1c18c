import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test as vitestTest } from 'vitest'
import { createPermissionContext } from '../../../contract/permission/context.js'
import { listDeniedReads } from '../../../permissions/rules/denied-paths.js'
import { runSteps } from '../../../shared/steps.js'
import { testWithProgram } from '../../../testing/test-with-program.js'
import { SandboxFixture } from '../fixture-sandbox.js'
import { createListings, findProtected } from '../protect/find-protected.js'
import { DeniedFiles } from './denied-files.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

function put(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(fixture.project, name)), { recursive: true })
    writeFileSync(join(fixture.project, name), `SECRET of ${name}\n`)
  }
}

interface ReadRules {
  readonly deny?: readonly string[]
  readonly ask?: readonly string[]
}

function createDeniedReads({ deny = [], ask = [] }: ReadRules) {
  const context = createPermissionContext({ alwaysDenyRules: { cliArg: deny }, alwaysAskRules: { cliArg: ask } })
  return listDeniedReads(context, { cwd: fixture.project, startDir: fixture.project, homeDir: fixture.home })
}

function createSandboxWith(rules: ReadRules) {
  const denied = createDeniedReads(rules)
  return fixture.openSandbox({}, { deniedReads: () => denied })
}

const NOBODY = 65_534

const CONFINEMENTS = [{}, { confinement: 'read-only' }, { confinement: 'read-only', reads: [] }] as const

describe('no sandboxed command prints a file that a rule for reading covers', () => {
  const programs: readonly (readonly [string, string])[] = [
    ['jq', 'jq -n --rawfile a deep/down/.env \'$a\'; jq -Rn "input" secrets/key.pem'],
    [
      'git',
      'git grep -h SECRET; git grep -h --no-index SECRET; git diff --no-index /dev/null deep/down/.env; git diff',
    ],
    ['rg', 'rg -uuu --no-filename SECRET'],
    ['bash', 'cat deep/down/.env secrets/key.pem deep/link'],
    ['awk', 'awk \'BEGIN { while ((getline line < "deep/down/.env") > 0) print line }\''],
  ]
  for (const [program, command] of programs) {
    testWithProgram(
      program,
      program,
      test,
    )(`with ${program}`, async () => {
      put('deep/down/.env', 'secrets/key.pem', 'public/file')
      symlinkSync('down/.env', join(fixture.project, 'deep/link'))
      const git = (...args: string[]) => execFileSync('git', args, { cwd: fixture.project })
      git('init', '-q')
      git('add', 'deep', 'public')
      writeFileSync(join(fixture.project, 'deep/down/.env'), 'SECRET of deep/down/.env, changed\n')
      const sandbox = createSandboxWith({ deny: ['Read(.env)'], ask: ['Read(**/*.pem)'] })

      for (const mode of CONFINEMENTS) {
        const { output } = await fixture.run(sandbox, `${command}; cat public/file`, mode)
        expect(output).not.toMatch(/SECRET of (deep|secrets)/)
        expect(output).toContain('SECRET of public')
      }
    })
  }
})

test('a file that a deny rule covers is hidden even if it appears between two commands', async () => {
  const sandbox = createSandboxWith({ deny: ['Read(*.key)'] })
  put('a/b/public')
  expect((await fixture.run(sandbox, 'cat a/b/*')).output).toContain('SECRET of a/b/public')
  put('a/b/x.key')

  expect((await fixture.run(sandbox, 'cat a/b/*')).output).toBe(
    'SECRET of a/b/public\ncat: a/b/x.key: Permission denied\n',
  )
})

test('a file in a folder whose name is not UTF-8 cannot be read, because commands are refused', async () => {
  put('sub/.env')
  const sandbox = createSandboxWith({ deny: ['Read(.env)'] })
  execFileSync('sh', ['-c', `mv sub "$(printf '\\377')"`], { cwd: fixture.project })

  for (const mode of CONFINEMENTS)
    await expect(fixture.run(sandbox, 'cat */.e*', mode)).rejects.toThrow(
      /Read\(\.env\) cover: the name .* is not UTF-8/,
    )
})

test('a file in a folder whose path is too long to be mounted cannot be read, because the folder is hidden', async () => {
  const sandbox = createSandboxWith({ deny: ['Read(.env)'] })
  const descend = (command: string) => `for i in $(seq 20); do ${command} cd -P ${'x'.repeat(250)} || break; done`
  await fixture.run(sandbox, `${descend(`mkdir ${'x'.repeat(250)};`)}; echo SECRET > .env; cat .env`)

  const { output } = await fixture.run(sandbox, `${descend('')}; cat .env`)
  // Node cannot remove a path that is this long.
  execFileSync('rm', ['-rf', fixture.project])
  expect(output).not.toContain('SECRET')
  expect(output).toContain('Permission denied')
})

vitestTest.runIf(process.getuid?.() === 0)(
  'a folder that can be entered but not listed, or the reverse, is hidden',
  () => {
    put('entered/.env', 'listed/.env')
    for (const [name, mode] of [
      ['entered', 0o311],
      ['listed', 0o644],
    ] as const)
      chmodSync(join(fixture.project, name), mode)
    for (const name of ['.', 'entered', 'listed']) chownSync(join(fixture.project, name), NOBODY, NOBODY)
    chmodSync(fixture.root, 0o755)
    const denied = createDeniedReads({ deny: ['Read(.env)'] })
    process.seteuid?.(NOBODY)
    try {
      const hiddenPaths = runSteps(new DeniedFiles().list(denied, [fixture.project], []))
      const { paths } = runSteps(findProtected(fixture.project, createListings()))
      const folders = ['entered', 'listed'].map((name) => join(fixture.project, name))
      expect([hiddenPaths, paths]).toEqual([folders, folders])
    } finally {
      process.seteuid?.(0)
    }
  },
)

test('a denied file cannot be read under another name of a folder above it', async () => {
  put('config/deep/key.txt', 'x/secrets/a')
  const sandbox = createSandboxWith({ deny: ['Read(./config/deep/key.txt)', 'Read(./x/secrets/**)'] })
  const renames = ['config c2', 'config/deep config/d2', 'x x2', 'x/secrets x/s2'].map((names) => `mv ${names}`)

  const { output, refusals } = await fixture.run(sandbox, `${renames.join('; ')}; false`)
  expect(refusals[0]).toContain(`keeps ${join(fixture.project, 'config')} in its place`)
  expect(output.match(/Device or resource busy/g)).toHaveLength(4)
  const second = await fixture.run(sandbox, 'cat c2/*/* config/*/* x2/*/* x/*/*')
  expect(second.output).not.toContain('SECRET')
})

test('an approved command sees the file of an ask rule that it names, but no other files of the rule', async () => {
  put('.env', 'a/.env')
  const run = await fixture.run(createSandboxWith({ ask: ['Read(.env)'] }), 'cat .env; cat a/.env', {
    confinement: 'read-only',
    reads: [join(fixture.project, '.env')],
  })

  expect(run.output).toBe('SECRET of .env\ncat: a/.env: Permission denied\n')
})

describe('the search for denied files', () => {
  const list = (rules: ReadRules, reads: readonly string[] = []) =>
    runSteps(new DeniedFiles().list(createDeniedReads(rules), [fixture.project], reads)).map((path) =>
      path.replace(fixture.root, ''),
    )

  vitestTest('finds matches of each rule once, and does not enter folders that are hidden themselves', () => {
    put('secrets/a.pem', 'x/secrets/b.pem', 'x/c.pem', 'x/d.txt')

    expect(list({ deny: ['Read(**/secrets/**)', 'Read(*.pem)'] })).toEqual([
      '/project/secrets',
      '/project/x/c.pem',
      '/project/x/secrets',
    ])
  })

  vitestTest('covers folders elsewhere that a rule names, but not a whole home folder', () => {
    mkdirSync(join(fixture.home, 'notes/old'), { recursive: true })
    writeFileSync(join(fixture.home, 'notes/old/private'), '')

    expect(list({ deny: ['Read(~/notes/*/private)'] })).toEqual(['/home/notes/old/private'])
    expect(list({ deny: ['Read(~/**/private)'] })).toEqual([])
  })

  test('lets other work run while it searches many folders', async () => {
    for (let index = 0; index < 4_000; index++)
      mkdirSync(join(fixture.project, `${index % 40}/${index}`), { recursive: true })
    const sandbox = createSandboxWith({ deny: ['Read(.env)'] })
    await sandbox.status()
    let roundCount = 0
    let hasEnded = false
    const countRound = (): void => {
      roundCount++
      if (!hasEnded) setImmediate(countRound)
    }
    setImmediate(countRound)

    const confined = await fixture.confine(sandbox, { confinement: 'read-only', reads: [] })
    hasEnded = true
    await confined.release?.()

    expect(roundCount).toBeGreaterThan(1)
  })

  vitestTest('refuses to hide more files than bubblewrap can handle, and says what to do', () => {
    put(...Array.from({ length: 501 }, (_, index) => `keys/${index}.pem`))

    expect(() => list({ deny: ['Read(*.pem)'] })).toThrow(
      'The sandbox cannot hide what the permission rules Read(*.pem) cover: they cover more than 500 files. Tell the user to name',
    )
  })
})
