import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import {
  BashTool,
  behaviorOf,
  decideOn,
  EditTool,
  fakePaths,
  fakeShell,
  fixtureTool,
  GrepTool,
  PatchTool,
  PLACE,
  ReadTool,
  WriteTool,
} from '../fixture-calls.js'
import type { PathFacts } from '../paths/judge-path.js'

const at = (file_path: string) => ({ file_path })

describe('a path rule', () => {
  test.each([
    ['Read(src/**)', '/project/src/a.ts', true],
    ['Read(src/**)', '/project/src/deep/a.ts', true],
    ['Read(src/**)', '/project/other/src/a.ts', false],
    ['Read(src)', '/project/src/a.ts', true],
    ['Read(.env)', '/project/deep/.env', true],
    ['Read(.env)', '/project/.env.local', false],
    ['Read(*.pem)', '/project/deep/key.pem', true],
    ['Read(/docs/**)', '/project/docs/a', true],
    ['Read(/docs/**)', '/other/docs/a', false],
    ['Read(~/.zshrc)', '/home/dev/.zshrc', true],
    ['Read(~/.zshrc)', '/home/other/.zshrc', false],
    ['Read(//etc/**)', '/etc/ssh/config', true],
    ['Read(//etc/**)', '/project/etc/x', false],
    ['Read(../sibling/**)', '/sibling/x', true],
  ])('%s denies %s: %s', async (rule, path, expected) => {
    expect(await behaviorOf(ReadTool, at(path), { rules: { deny: [rule], allow: ['Read'] } })).toBe(
      expected ? 'deny' : 'allow',
    )
  })

  test('that cannot be read as a path is a question for every path, never nothing', async () => {
    for (const content of ['*/../.env', '!a', 'a\0']) {
      const deny = [`Read(${content})`, `Edit(${content})`]
      expect(await behaviorOf(ReadTool, at('.env'), { rules: { deny, allow: ['Read'] } })).toBe('ask')
      expect(await behaviorOf(WriteTool, at('a'), { rules: { deny }, mode: 'acceptEdits' })).toBe('ask')
      expect(await behaviorOf(GrepTool, {}, { rules: { deny }, skipsDeniedFiles: () => true })).toBe('ask')
    }
  })

  test('counts from the project where the settings are, and from where the work began', async () => {
    const place = { ...PLACE, cwd: '/project/sub', startDir: '/project', projectDir: '/repo' }

    expect(await behaviorOf(ReadTool, at('/repo/docs/a'), { place, rules: { allow: ['Read(/docs/**)'] } })).toBe(
      'allow',
    )
    expect(await behaviorOf(ReadTool, at('/project/docs/a'), { place, rules: { deny: ['Read(/docs/**)'] } })).toBe(
      'allow',
    )
    expect(await behaviorOf(ReadTool, at('../.env'), { place, rules: { deny: ['Read(.env)'] } })).toBe('deny')
    expect(await behaviorOf(ReadTool, at('x/a'), { place, rules: { deny: ['Read(x/**)'] } })).toBe('deny')
  })
})

describe('a rule for Read', () => {
  test('denies every tool that reads there', async () => {
    const rules = { deny: ['Read(secrets/**)'], allow: ['Grep', 'Read', 'Edit'] }
    expect(await behaviorOf(GrepTool, { path: 'secrets' }, { rules })).toBe('deny')
    expect(await behaviorOf(GrepTool, { path: 'secrets/deep' }, { rules })).toBe('deny')
    expect(await behaviorOf(GrepTool, { path: 'src' }, { rules })).toBe('allow')
    expect(await behaviorOf(EditTool, at('secrets/a'), { rules })).toBe('deny')
    expect(await behaviorOf(WriteTool, at('secrets/a'), { rules: { ...rules, allow: ['Write'] } })).toBe('allow')
  })

  test('asks about a search over a folder in which a denied file may lie', async () => {
    const paths = fakePaths({ folders: ['/project', '/project/src'] })
    expect(await behaviorOf(GrepTool, {}, { paths, rules: { deny: ['Read(.env)'] } })).toBe('ask')
    expect(await behaviorOf(GrepTool, {}, { paths, rules: { deny: ['Read(secrets/**)'] } })).toBe('ask')
    expect(await behaviorOf(GrepTool, { path: 'src' }, { paths, rules: { deny: ['Read(secrets/**)'] } })).toBe('allow')
    expect(await behaviorOf(GrepTool, { path: 'src' }, { paths, rules: { deny: ['Read(src/*.key)'] } })).toBe('ask')
    expect(
      await behaviorOf(GrepTool, {}, { paths, skipsDeniedFiles: () => true, rules: { deny: ['Read(.env)'] } }),
    ).toBe('allow')
  })

  test('without content binds what only reads files', async () => {
    expect(await behaviorOf(GrepTool, { path: 'src' }, { rules: { deny: ['Read'] } })).toBe('deny')
    expect(await behaviorOf(WriteTool, at('a'), { rules: { deny: ['Read'] } })).toBe('ask')
  })

  test('without content also binds what reads and writes', async () => {
    expect(await behaviorOf(EditTool, at('a'), { rules: { deny: ['Read'], allow: ['Edit'] } })).toBe('deny')
  })
})

describe('a rule for Edit', () => {
  test('binds every tool that writes files', async () => {
    const rules = { deny: ['Edit(dist/**)'], allow: ['Write', 'Edit', 'ApplyPatch', 'Save'] }
    const save = fixtureTool('Save', { getPath: (input: { file_path: string }) => input.file_path })
    expect(await behaviorOf(WriteTool, at('dist/a'), { rules })).toBe('deny')
    expect(await behaviorOf(EditTool, at('dist/a'), { rules })).toBe('deny')
    expect(await behaviorOf(PatchTool, { files: ['src/a', 'dist/b'] }, { rules })).toBe('deny')
    expect(await behaviorOf(save, at('dist/a'), { rules })).toBe('deny')
    expect(await behaviorOf(ReadTool, at('dist/a'), { rules })).toBe('allow')
    expect(await behaviorOf(WriteTool, at('a'), { rules: { deny: ['Edit'], allow: ['Write'] } })).toBe('deny')
  })

  test('allows every tool that does nothing but write there, and only where all of it is covered', async () => {
    const rules = { allow: ['Edit(src/**)'] }
    expect(await behaviorOf(WriteTool, at('src/a'), { rules })).toBe('allow')
    expect(await behaviorOf(PatchTool, { files: ['src/a', 'src/b'] }, { rules })).toBe('allow')
    expect(await behaviorOf(PatchTool, { files: ['src/a', 'lib/b'] }, { rules })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('src'), { rules })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('src/../lib/a'), { rules })).toBe('ask')
  })

  test('does not allow a tool that may do more with its path than write it', async () => {
    const run = fixtureTool('RunFile', { needs: ['files', 'agents'], getPath: () => 'src/a' })
    const more = fixtureTool('More', {
      needs: ['files'],
      resources: () => ({ writes: [{ path: 'src/a' }], unknown: true }),
    })
    const mixed = fixtureTool('Mixed', {
      needs: ['files'],
      resources: () => ({ writes: [{ path: 'src/a' }, { thing: 'db:main' }] }),
    })
    for (const tool of [run, more, mixed]) {
      expect(await behaviorOf(tool, {}, { rules: { allow: ['Edit(**)'] } })).toBe('ask')
      expect(await behaviorOf(tool, {}, { mode: 'acceptEdits' })).toBe('ask')
    }
    expect(await behaviorOf(run, {}, { rules: { allow: ['RunFile(src/**)'] } })).toBe('allow')
    expect(await behaviorOf(more, {}, { rules: { allow: ['More(src/**)'] } })).toBe('ask')
  })
})

describe('a tool that tells no path', () => {
  const ports = ['files', 'search', 'lsp', 'agents', 'tasks', 'model', 'schedule'] as const

  test.each(ports)('and is given %s is not taken to stay inside', async (port) => {
    const tool = fixtureTool('Peek', { needs: [port], isReadOnly: () => true })
    const input = at('/etc/shadow')
    expect(await behaviorOf(tool, input)).toBe('ask')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Read'], allow: ['Peek'] } })).toBe('ask')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Read(x)'], allow: ['Peek'] } })).toBe('ask')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Peek(x)'], allow: ['Peek'] } })).toBe('ask')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Edit'], allow: ['Peek'] } })).toBe('allow')
  })

  test('and writes may write what a rule for Edit names', async () => {
    const tool = fixtureTool('Poke', { needs: ['files'] })
    expect(await behaviorOf(tool, {}, { rules: { deny: ['Edit(x)'] }, mode: 'bypassPermissions' })).toBe('ask')
  })

  test('but says that it touches nothing is believed', async () => {
    const tool = fixtureTool('Idle', { needs: ['agents'], isReadOnly: () => true, resources: () => ({}) })
    expect(await behaviorOf(tool, {}, { rules: { deny: ['Read(x)'] } })).toBe('allow')
  })

  test.each([
    ['a promise', Promise.resolve({ reads: [{ path: '/etc/shadow' }] })],
    ['null', null],
    ['a list', ['/etc/shadow']],
    ['a text', '/etc/shadow'],
    ['a list that is a text', { reads: '/etc/shadow' }],
    ['a list of strings', { reads: ['/etc/shadow'] }],
    ['undefined', undefined],
  ])('because its resources are %s is asked in every mode', async (_what, answer) => {
    const tool = fixtureTool('Late', { needs: ['files'], isReadOnly: () => true, resources: () => answer as never })
    expect(await behaviorOf(tool, {}, { mode: 'bypassPermissions', rules: { allow: ['Late'] } })).toBe('ask')
  })

  test('because getPath answers no text is asked in every mode', async () => {
    const tool = fixtureTool('Late', { isReadOnly: () => true, getPath: () => Promise.resolve('a') as never })
    expect(await behaviorOf(tool, {}, { mode: 'bypassPermissions' })).toBe('ask')
  })
})

test('a tool that can do more than write files is no file edit, whatever it lists', async () => {
  for (const needs of [['agents'], ['files', 'shell'], ['files', 'lsp']] as const) {
    const tool = fixtureTool('Busy', { needs, resources: () => ({ writes: [{ path: 'a' }] }) })
    expect(await behaviorOf(tool, { command: 'x' }, { mode: 'acceptEdits' })).toBe('ask')
    expect(await behaviorOf(tool, {}, { rules: { allow: ['Edit(**)'] } })).toBe('ask')
  }
})

test('a path that no system takes is refused before any work', async () => {
  const seen: string[] = []
  const given = { paths: fakePaths({ seen }), mode: 'bypassPermissions' } as const
  const outcome = await decideOn(ReadTool, at('a'.repeat(32_769)), given)

  expect([outcome.behavior, outcome.reason, seen]).toEqual([
    'deny',
    { type: 'input', text: 'A path is longer than 32768 characters.' },
    [],
  ])
  expect(await behaviorOf(ReadTool, at('a'.repeat(32_768)), given)).toBe('allow')
  const shell = fakeShell({ 'cat long': [{ reads: ['a'.repeat(32_769)] }] })
  expect(await behaviorOf(BashTool, { command: 'cat long' }, { ...given, shell })).toBe('deny')
})

describe('outside the working directories', () => {
  test('a write is asked unless a rule with its path, or the bare rule of its tool, covers it', async () => {
    const path = at('/data/x')
    expect(await behaviorOf(WriteTool, path, { mode: 'acceptEdits' })).toBe('ask')
    expect(await behaviorOf(WriteTool, path, { mode: 'auto' })).toBe('ask')
    expect(await behaviorOf(WriteTool, path, { rules: { allow: ['Edit(//data/**)'] } })).toBe('allow')
    expect(await behaviorOf(EditTool, path, { rules: { allow: ['Edit(//data/**)'] } })).toBe('allow')
    expect(await behaviorOf(WriteTool, path, { rules: { allow: ['Write'] } })).toBe('allow')
    expect(await behaviorOf(WriteTool, path, { rules: { allow: ['Edit', 'Edit(**)', 'Read(//data/**)'] } })).toBe('ask')
    expect(await behaviorOf(WriteTool, path, { mode: 'bypassPermissions' })).toBe('allow')
  })

  test('a read is asked unless a rule covers it', async () => {
    const outcome = await decideOn(ReadTool, at('/etc/passwd'))

    expect(outcome).toMatchObject({ behavior: 'ask', reason: { type: 'directory' } })
    expect(await behaviorOf(ReadTool, at('/etc/passwd'), { rules: { allow: ['Read(//etc/passwd)'] } })).toBe('allow')
    expect(await behaviorOf(GrepTool, { path: '/data' }, { rules: { allow: ['Read(//data/**)'] } })).toBe('ask')
    const paths = fakePaths({ folders: ['/data'] })
    expect(await behaviorOf(GrepTool, { path: '/data' }, { paths, rules: { allow: ['Read(//data/**)'] } })).toBe(
      'allow',
    )
  })

  test('a further working directory counts like the first', async () => {
    const permissions = createPermissionContext({
      mode: 'acceptEdits',
      additionalWorkingDirectories: [{ path: '~/notes', source: 'session' }],
    })
    expect(await behaviorOf(WriteTool, at('/home/dev/notes/a'), { permissions })).toBe('allow')
    expect(await behaviorOf(WriteTool, at('/home/dev/notes2/a'), { permissions })).toBe('ask')
  })
})

describe('a link', () => {
  const paths = fakePaths({ links: { '/project/out': '/etc', '/project/vault': '/srv/vault', '/in': '/project/src' } })

  test('out of the working directories is asked unless both its ends are allowed', async () => {
    expect(await behaviorOf(ReadTool, at('out/passwd'), { paths })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('out/x'), { paths, mode: 'acceptEdits' })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('out/x'), { paths, rules: { allow: ['Edit(out/**)', 'Edit(**)'] } })).toBe(
      'ask',
    )
    expect(
      await behaviorOf(WriteTool, at('out/x'), { paths, rules: { allow: ['Edit(out/**)', 'Edit(//etc/**)'] } }),
    ).toBe('allow')
    expect(await behaviorOf(WriteTool, at('out/x'), { paths, rules: { allow: ['Edit(//**)'] } })).toBe('allow')
  })

  test('into them from outside is asked too', async () => {
    expect(await behaviorOf(ReadTool, at('/in/a'), { paths })).toBe('ask')
  })

  test('is denied where either end is, and so is its target by another way', async () => {
    const deny = (rule: string, path: string) =>
      behaviorOf(ReadTool, at(path), { paths, rules: { deny: [rule], allow: ['Read'] } })
    expect(await deny('Read(//etc/**)', 'out/passwd')).toBe('deny')
    expect(await deny('Read(out/**)', 'out/passwd')).toBe('deny')
    expect(await deny('Read(vault/**)', '/srv/vault/key')).toBe('deny')
    expect(await deny('Read(vault)', '/srv/vault/key')).toBe('deny')
    expect(await deny('Read(//in/**)', 'src/a')).toBe('deny')
  })

  test('of the working directory itself changes nothing inside it', async () => {
    const linked = fakePaths({ links: { '/tmp': '/private/tmp' } })
    const place = { ...PLACE, cwd: '/tmp/p' }
    expect(await behaviorOf(WriteTool, at('/private/tmp/p/a'), { paths: linked, place, mode: 'acceptEdits' })).toBe(
      'allow',
    )
    expect(await behaviorOf(WriteTool, at('a'), { paths: linked, place, rules: { allow: ['Edit(a)'] } })).toBe('allow')
  })
})

describe('hostile paths', () => {
  test('with a NUL character are refused whatever is allowed', async () => {
    const outcome = await decideOn(WriteTool, at('src/a\0.ts'), {
      mode: 'bypassPermissions',
      rules: { allow: ['Write'] },
    })
    expect(outcome).toMatchObject({ behavior: 'deny', reason: { type: 'input' } })
  })

  test('on a network share are asked in every mode, and denied where a rule names the share', async () => {
    for (const path of ['\\\\server\\share\\x', '//server/share/x']) {
      const seen: string[] = []
      const given = { paths: fakePaths({ seen }), rules: { allow: ['Read'] } } as const
      expect(await behaviorOf(ReadTool, at(path), { ...given, mode: 'bypassPermissions' })).toBe('ask')
      expect(await behaviorOf(ReadTool, at(path), { ...given, rules: { deny: ['Read(//server/**)'] } })).toBe('deny')
      expect(seen.filter((each) => each.includes('server/share'))).toEqual([])
    }
  })

  test('that cannot be looked up are asked in every mode', async () => {
    const paths: PathFacts = {
      look: () => {
        throw new Error('EACCES')
      },
    }
    expect(await behaviorOf(ReadTool, at('a'), { paths, mode: 'bypassPermissions', rules: { allow: ['Read'] } })).toBe(
      'ask',
    )
  })

  test('of a tool that cannot tell them are asked in every mode', async () => {
    const broken = fixtureTool('Broken', {
      getPath: () => {
        throw new Error('bug')
      },
    })
    expect(await behaviorOf(broken, {}, { mode: 'bypassPermissions', rules: { allow: ['Broken'] } })).toBe('ask')
  })

  test('that look like names of other things are still judged where the tool has files', async () => {
    const patch = { files: ['link:x'] }
    const paths = fakePaths({ links: { '/project/link:x': '/home/dev/.bashrc' } })
    expect(await behaviorOf(PatchTool, patch, { paths, mode: 'bypassPermissions' })).toBe('ask')
    const todo = fixtureTool('Todo', { needs: ['state'], resources: () => ({ writes: [{ thing: 'todo:list' }] }) })
    expect(await behaviorOf(todo, {}, { rules: { deny: ['Edit(**)', 'Edit'], allow: ['Todo'] } })).toBe('allow')
  })

  test.each(['.ENV', '.Env', '.env.', '.env ', '.env::$DATA', 'sub/.EnV...', '.e\u200cnv'])(
    'that spell a denied file as %s are denied where the file system would take them for it',
    async (path) => {
      const paths = fakePaths({ isCaseInsensitive: true })
      expect(await behaviorOf(ReadTool, at(path), { paths, rules: { deny: ['Read(.env)'], allow: ['Read'] } })).toBe(
        'deny',
      )
    },
  )

  test('that differ only in letter case are other files where letter case counts', async () => {
    expect(await behaviorOf(ReadTool, at('.ENV'), { rules: { deny: ['Read(.env)'] } })).toBe('allow')
  })
})

describe('what is protected', () => {
  test('is asked over every mode and allow, and denied where the mode denies', async () => {
    const rules = { allow: ['Write', 'Edit(**)'] }
    const modes = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const
    const answers = modes.map((mode) => behaviorOf(WriteTool, at('.git/hooks/pre-commit'), { mode, rules }))
    expect(await Promise.all(answers)).toEqual(['ask', 'ask', 'deny', 'ask', 'deny', 'ask'])
  })

  test.each(['acceptEdits', 'auto', 'bypassPermissions'] as const)(
    'are the servers of the project, for files and commands (%s)',
    async (mode) => {
      const given = { mode, rules: { allow: ['Write', 'Bash', 'Edit(**)'] } }
      const shell = fakeShell({ 'echo x > .mcp.json': [{ redirects: ['.mcp.json'] }] })
      const held = { behavior: 'ask', reason: { type: 'safety', text: ".mcp.json is Haft's own settings or hooks" } }

      expect(await decideOn(WriteTool, at('.mcp.json'), given)).toMatchObject(held)
      expect(await decideOn(BashTool, { command: 'echo x > .mcp.json' }, { ...given, shell })).toMatchObject(held)
    },
  )

  test('may be read', async () => {
    expect(await behaviorOf(ReadTool, at('.git/config'))).toBe('allow')
  })

  test('includes whole folders and what the host adds', async () => {
    const all = fixtureTool('All', { needs: ['files'], resources: () => ({ writes: [{ path: 'src/' }] }) })
    const place = { ...PLACE, protectedPaths: ['/project/scripts/check.sh'] }
    const paths = fakePaths({ folders: ['/home', '/project'] })
    expect(await behaviorOf(all, {}, { mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('/home'), { paths, mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('scripts/check.sh'), { place, mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(WriteTool, at('scripts/other.sh'), { place, mode: 'bypassPermissions' })).toBe('allow')
  })
})

test('on a real file system links are seen through', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'haft-permissions-')))
  onTestFinished(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'project/secrets'), { recursive: true })
  await mkdir(join(root, 'outside'))
  await writeFile(join(root, 'project/secrets/key'), 'k')
  await symlink(join(root, 'outside'), join(root, 'project/out'))
  await symlink('secrets', join(root, 'project/alias'))
  const place = { cwd: join(root, 'project'), homeDir: root }
  const given = { place, paths: realPaths, rules: { deny: ['Read(secrets/**)'] } }

  const answers = ['alias/key', 'out/../project/secrets/key', 'out/x', 'plain', './/alias//./key'].map((path) =>
    behaviorOf(ReadTool, at(path), given),
  )

  expect(await Promise.all(answers)).toEqual(['deny', 'deny', 'ask', 'allow', 'deny'])
})

/** Resolves as far as the path exists, as a host would. */
const realPaths: PathFacts = {
  async look(path) {
    const missing: string[] = []
    for (let known = path; ; known = dirname(known)) {
      try {
        return { realPath: join(await realpath(known), ...missing), isFolder: false, isCaseInsensitive: false }
      } catch {
        missing.unshift(known.slice(dirname(known).length))
      }
    }
  },
}

describe('a folder that is written as a whole', () => {
  const move = fixtureTool('Move', {
    needs: ['files'],
    resources: (input: { from: string }) => ({ writes: [{ path: input.from }] }),
  })
  const given = { mode: 'acceptEdits' } as const

  test('is asked about where it is, or holds, the start, the project or the home folder', async () => {
    const place = { cwd: '/project/sub', startDir: '/project', projectDir: '/repo', homeDir: '/home/dev' }
    const permissions = createPermissionContext({
      mode: 'acceptEdits',
      additionalWorkingDirectories: [{ path: '/', source: 'session' }],
    })
    for (const from of ['/project', '..', '/repo', '/home/dev', '/home', '/', '/project/sub/..']) {
      expect(await behaviorOf(move, { from }, { permissions, place })).toBe('ask')
    }
    for (const from of ['/project', '.']) expect(await behaviorOf(move, { from }, given)).toBe('ask')
    expect(await behaviorOf(move, { from: 'src' }, given)).toBe('allow')
  })

  test('is asked about by the real name of a linked project, too', async () => {
    const paths = fakePaths({ links: { '/project': '/data/real' } })
    expect(await behaviorOf(move, { from: '/data/real' }, { ...given, paths })).toBe('ask')
  })

  test('is asked about where a protected folder lies in it', async () => {
    const paths = fakePaths({ folders: ['/project/sub', '/project/sub/.git', '/project/lib'] })
    const outcome = await decideOn(move, { from: 'sub' }, { ...given, paths })
    expect([outcome.behavior, outcome.reason]).toEqual(['ask', { type: 'safety', text: 'sub contains .git' }])
    expect(await behaviorOf(move, { from: 'lib' }, { ...given, paths })).toBe('allow')
  })
})

test('a question shows the ends of a long path, not all of it', async () => {
  const { message } = await decideOn(WriteTool, at(`.git/${'a'.repeat(5000)}/end`))
  expect(message.length).toBeLessThan(500)
  expect(message).toMatch(/ \.git\/a+…a+\/end \(5009 characters\) is git configuration\.$/)
})
