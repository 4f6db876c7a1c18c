import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import type { Tool } from '../../contract/tool/tool.js'
import {
  BashTool,
  behaviorOf,
  createFakePaths,
  createFakeShell,
  createFixtureTool,
  decideOn,
  EditTool,
  GrepTool,
  PATH_CONTEXT,
  PatchTool,
  ReadTool,
  WriteTool,
} from '../fixture-calls.js'
import type { PathFacts } from '../paths/judge-path.js'

const toFileInput = (file_path: string) => ({ file_path })

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
    expect(await behaviorOf(ReadTool, toFileInput(path), { rules: { deny: [rule], allow: ['Read'] } })).toBe(
      expected ? 'deny' : 'allow',
    )
  })

  test('with an unsupported pattern causes a question about every path', async () => {
    for (const content of ['*/../.env', '!a', 'a\0']) {
      const denyRules = [`Read(${content})`, `Edit(${content})`]
      expect(await behaviorOf(ReadTool, toFileInput('.env'), { rules: { deny: denyRules, allow: ['Read'] } })).toBe(
        'ask',
      )
      expect(await behaviorOf(WriteTool, toFileInput('a'), { rules: { deny: denyRules }, mode: 'acceptEdits' })).toBe(
        'ask',
      )
      expect(await behaviorOf(GrepTool, {}, { rules: { deny: denyRules }, skipsDeniedFiles: () => true })).toBe('ask')
    }
  })

  test('with a leading slash is relative to the project of the settings, otherwise to the start folder', async () => {
    const pathContext = { ...PATH_CONTEXT, cwd: '/project/sub', startDir: '/project', projectDir: '/repo' }

    expect(
      await behaviorOf(ReadTool, toFileInput('/repo/docs/a'), {
        pathContext,
        rules: { allow: ['Read(/docs/**)'] },
      }),
    ).toBe('allow')
    expect(
      await behaviorOf(ReadTool, toFileInput('/project/docs/a'), {
        pathContext,
        rules: { deny: ['Read(/docs/**)'] },
      }),
    ).toBe('allow')
    expect(await behaviorOf(ReadTool, toFileInput('../.env'), { pathContext, rules: { deny: ['Read(.env)'] } })).toBe(
      'deny',
    )
    expect(await behaviorOf(ReadTool, toFileInput('x/a'), { pathContext, rules: { deny: ['Read(x/**)'] } })).toBe(
      'deny',
    )
  })
})

describe('a rule for Read', () => {
  test('applies to every tool that reads files', async () => {
    const rules = { deny: ['Read(secrets/**)'], allow: ['Grep', 'Read', 'Edit'] }
    expect(await behaviorOf(GrepTool, { path: 'secrets' }, { rules })).toBe('deny')
    expect(await behaviorOf(GrepTool, { path: 'secrets/deep' }, { rules })).toBe('deny')
    expect(await behaviorOf(GrepTool, { path: 'src' }, { rules })).toBe('allow')
    expect(await behaviorOf(EditTool, toFileInput('secrets/a'), { rules })).toBe('deny')
    expect(await behaviorOf(WriteTool, toFileInput('secrets/a'), { rules: { ...rules, allow: ['Write'] } })).toBe(
      'allow',
    )
  })

  test('causes a question about a search in a folder that may contain a denied file', async () => {
    const paths = createFakePaths({ folders: ['/project', '/project/src'] })
    expect(await behaviorOf(GrepTool, {}, { paths, rules: { deny: ['Read(.env)'] } })).toBe('ask')
    expect(await behaviorOf(GrepTool, {}, { paths, rules: { deny: ['Read(secrets/**)'] } })).toBe('ask')
    expect(await behaviorOf(GrepTool, { path: 'src' }, { paths, rules: { deny: ['Read(secrets/**)'] } })).toBe('allow')
    expect(await behaviorOf(GrepTool, { path: 'src' }, { paths, rules: { deny: ['Read(src/*.key)'] } })).toBe('ask')
    expect(
      await behaviorOf(GrepTool, {}, { paths, skipsDeniedFiles: () => true, rules: { deny: ['Read(.env)'] } }),
    ).toBe('allow')
  })

  test('without content applies to calls that only read files', async () => {
    expect(await behaviorOf(GrepTool, { path: 'src' }, { rules: { deny: ['Read'] } })).toBe('deny')
    expect(await behaviorOf(WriteTool, toFileInput('a'), { rules: { deny: ['Read'] } })).toBe('ask')
  })

  test('without content covers other tools that only read, like Read(**), and no tool that writes', async () => {
    const reader = createFixtureTool('Peek', { needs: ['files'], resources: () => ({ reads: [{ path: 'a' }] }) })
    const readOnlyReader = { ...reader, isReadOnly: () => true }
    for (const rule of ['Read', 'Read(**)']) {
      for (const list of ['allow', 'ask', 'deny'] as const) {
        const rules = { [list]: [rule] }
        expect(await behaviorOf(readOnlyReader, {}, { rules })).toBe(list)
        expect(await behaviorOf(GrepTool, { path: 'src' }, { rules })).toBe(list)
      }
      expect(await behaviorOf(GrepTool, { path: '/etc' }, { rules: { allow: [rule] } })).toBe('ask')
      expect(await behaviorOf(WriteTool, toFileInput('a'), { rules: { allow: [rule] } })).toBe('ask')
    }
  })

  test('without content also applies to calls that read and write', async () => {
    expect(await behaviorOf(EditTool, toFileInput('a'), { rules: { deny: ['Read'], allow: ['Edit'] } })).toBe('deny')
  })
})

describe('a rule for Edit', () => {
  test('applies to every tool that writes files', async () => {
    const rules = { deny: ['Edit(dist/**)'], allow: ['Write', 'Edit', 'ApplyPatch', 'Save'] }
    const save = createFixtureTool('Save', { getPath: (input: { file_path: string }) => input.file_path })
    expect(await behaviorOf(WriteTool, toFileInput('dist/a'), { rules })).toBe('deny')
    expect(await behaviorOf(EditTool, toFileInput('dist/a'), { rules })).toBe('deny')
    expect(await behaviorOf(PatchTool, { files: ['src/a', 'dist/b'] }, { rules })).toBe('deny')
    expect(await behaviorOf(save, toFileInput('dist/a'), { rules })).toBe('deny')
    expect(await behaviorOf(ReadTool, toFileInput('dist/a'), { rules })).toBe('allow')
    expect(await behaviorOf(WriteTool, toFileInput('a'), { rules: { deny: ['Edit'], allow: ['Write'] } })).toBe('deny')
  })

  test('allows every tool that does nothing but write, if all of its paths are covered', async () => {
    const rules = { allow: ['Edit(src/**)'] }
    expect(await behaviorOf(WriteTool, toFileInput('src/a'), { rules })).toBe('allow')
    expect(await behaviorOf(PatchTool, { files: ['src/a', 'src/b'] }, { rules })).toBe('allow')
    expect(await behaviorOf(PatchTool, { files: ['src/a', 'lib/b'] }, { rules })).toBe('ask')
    expect(await behaviorOf(WriteTool, toFileInput('src'), { rules })).toBe('ask')
    expect(await behaviorOf(WriteTool, toFileInput('src/../lib/a'), { rules })).toBe('ask')
  })

  test('without content covers every tool of its family inside the working directory, like Edit(**)', async () => {
    for (const rule of ['Edit', 'Edit(**)']) {
      const decide = (list: 'allow' | 'ask' | 'deny', tool: Tool, input: object) =>
        behaviorOf(tool, input, { rules: { [list]: [rule] } })
      for (const list of ['allow', 'ask', 'deny'] as const) {
        expect(await decide(list, WriteTool, toFileInput('src/a'))).toBe(list)
        expect(await decide(list, PatchTool, { files: ['src/a', 'lib/b'] })).toBe(list)
      }
      expect(await decide('allow', WriteTool, toFileInput('/data/x'))).toBe('ask')
      expect(await decide('allow', PatchTool, { files: ['src/a', '/data/b'] })).toBe('ask')
      expect(await decide('allow', WriteTool, toFileInput('.git/config'))).toBe('ask')
      expect(await decide('allow', BashTool, { command: 'npm test' })).toBe('ask')
    }
  })

  test('does not allow a tool that may do more than write its path', async () => {
    const runTool = createFixtureTool('RunFile', { needs: ['files', 'agents'], getPath: () => 'src/a' })
    const moreTool = createFixtureTool('More', {
      needs: ['files'],
      resources: () => ({ writes: [{ path: 'src/a' }], unknown: true }),
    })
    const mixedTool = createFixtureTool('Mixed', {
      needs: ['files'],
      resources: () => ({ writes: [{ path: 'src/a' }, { thing: 'db:main' }] }),
    })
    for (const tool of [runTool, moreTool, mixedTool]) {
      expect(await behaviorOf(tool, {}, { rules: { allow: ['Edit(**)', 'Edit'] } })).toBe('ask')
      expect(await behaviorOf(tool, {}, { mode: 'acceptEdits' })).toBe('ask')
    }
    expect(await behaviorOf(runTool, {}, { rules: { allow: ['RunFile(src/**)'] } })).toBe('allow')
    expect(await behaviorOf(moreTool, {}, { rules: { allow: ['More(src/**)'] } })).toBe('ask')
  })
})

describe('a tool that states no path', () => {
  const ports = ['files', 'search', 'lsp', 'agents', 'tasks', 'model', 'schedule'] as const

  test.each(ports)('and needs the %s port is not assumed to stay inside the working directories', async (port) => {
    const tool = createFixtureTool('Peek', { needs: [port], isReadOnly: () => true })
    const input = toFileInput('/etc/shadow')
    expect(await behaviorOf(tool, input)).toBe('ask')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Read'], allow: ['Peek'] } })).toBe('ask')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Read(x)'], allow: ['Peek'] } })).toBe('ask')
    // The tool cannot match the content of its own rule, so the rule counts for the whole tool.
    expect(await behaviorOf(tool, input, { rules: { deny: ['Peek(x)'], allow: ['Peek'] } })).toBe('deny')
    expect(await behaviorOf(tool, input, { rules: { deny: ['Edit'], allow: ['Peek'] } })).toBe('allow')
  })

  test('and may write is asked about if there is a rule for Edit', async () => {
    const tool = createFixtureTool('Poke', { needs: ['files'] })
    expect(await behaviorOf(tool, {}, { rules: { deny: ['Edit(x)'] }, mode: 'bypassPermissions' })).toBe('ask')
  })

  test('but states that it uses nothing is allowed', async () => {
    const tool = createFixtureTool('Idle', { needs: ['agents'], isReadOnly: () => true, resources: () => ({}) })
    expect(await behaviorOf(tool, {}, { rules: { deny: ['Read(x)'] } })).toBe('allow')
  })

  test.each([
    ['a promise', Promise.resolve({ reads: [{ path: '/etc/shadow' }] })],
    ['null', null],
    ['a list', ['/etc/shadow']],
    ['a text', '/etc/shadow'],
    ['a string instead of a list', { reads: '/etc/shadow' }],
    ['a list of strings', { reads: ['/etc/shadow'] }],
    ['undefined', undefined],
  ])('because its resources are %s is asked about in every mode', async (_what, answer) => {
    const tool = createFixtureTool('Late', {
      needs: ['files'],
      isReadOnly: () => true,
      resources: () => answer as never,
    })
    expect(await behaviorOf(tool, {}, { mode: 'bypassPermissions', rules: { allow: ['Late'] } })).toBe('ask')
  })

  test('because getPath does not return a string is asked about in every mode', async () => {
    const tool = createFixtureTool('Late', { isReadOnly: () => true, getPath: () => Promise.resolve('a') as never })
    expect(await behaviorOf(tool, {}, { mode: 'bypassPermissions' })).toBe('ask')
  })
})

test('a tool that can do more than write files is not treated as a file edit', async () => {
  for (const needs of [['agents'], ['files', 'shell'], ['files', 'model']] as const) {
    const tool = createFixtureTool('Busy', { needs, resources: () => ({ writes: [{ path: 'a' }] }) })
    expect(await behaviorOf(tool, { command: 'x' }, { mode: 'acceptEdits' })).toBe('ask')
    expect(await behaviorOf(tool, {}, { rules: { allow: ['Edit(**)'] } })).toBe('ask')
  }
})

test('a path that is too long for any system is denied before it is looked up', async () => {
  const lookups: string[] = []
  const options = { paths: createFakePaths({ lookups }), mode: 'bypassPermissions' } as const
  const outcome = await decideOn(ReadTool, toFileInput('a'.repeat(32_769)), options)

  expect([outcome.behavior, outcome.reason, lookups]).toEqual([
    'deny',
    { type: 'input', text: 'A path in the input is longer than 32768 characters.' },
    [],
  ])
  expect(await behaviorOf(ReadTool, toFileInput('a'.repeat(32_768)), options)).toBe('allow')
  const shell = createFakeShell({ 'cat long': [{ reads: ['a'.repeat(32_769)] }] })
  expect(await behaviorOf(BashTool, { command: 'cat long' }, { ...options, shell })).toBe('deny')
})

describe('outside the working directories', () => {
  test('a write is asked about unless a path rule or a bare rule of its tool covers it', async () => {
    const path = toFileInput('/data/x')
    expect(await behaviorOf(WriteTool, path, { mode: 'acceptEdits' })).toBe('ask')
    expect(await behaviorOf(WriteTool, path, { mode: 'auto' })).toBe('ask')
    expect(await behaviorOf(WriteTool, path, { rules: { allow: ['Edit(//data/**)'] } })).toBe('allow')
    expect(await behaviorOf(EditTool, path, { rules: { allow: ['Edit(//data/**)'] } })).toBe('allow')
    expect(await behaviorOf(WriteTool, path, { rules: { allow: ['Write'] } })).toBe('allow')
    expect(await behaviorOf(WriteTool, path, { rules: { allow: ['Edit', 'Edit(**)', 'Read(//data/**)'] } })).toBe('ask')
    expect(await behaviorOf(WriteTool, path, { mode: 'bypassPermissions' })).toBe('allow')
  })

  test('a read is asked about unless a rule covers it', async () => {
    const outcome = await decideOn(ReadTool, toFileInput('/etc/passwd'))

    expect(outcome).toMatchObject({ behavior: 'ask', reason: { type: 'directory' } })
    expect(await behaviorOf(ReadTool, toFileInput('/etc/passwd'), { rules: { allow: ['Read(//etc/passwd)'] } })).toBe(
      'allow',
    )
    expect(await behaviorOf(GrepTool, { path: '/data' }, { rules: { allow: ['Read(//data/**)'] } })).toBe('ask')
    const paths = createFakePaths({ folders: ['/data'] })
    expect(await behaviorOf(GrepTool, { path: '/data' }, { paths, rules: { allow: ['Read(//data/**)'] } })).toBe(
      'allow',
    )
  })

  test('a path in an additional working directory does not count as outside', async () => {
    const permissions = createPermissionContext({
      mode: 'acceptEdits',
      additionalWorkingDirectories: [{ path: '~/notes', source: 'session' }],
    })
    expect(await behaviorOf(WriteTool, toFileInput('/home/dev/notes/a'), { permissions })).toBe('allow')
    expect(await behaviorOf(WriteTool, toFileInput('/home/dev/notes2/a'), { permissions })).toBe('ask')
  })
})

describe('a link', () => {
  const paths = createFakePaths({
    links: { '/project/out': '/etc', '/project/vault': '/srv/vault', '/in': '/project/src' },
  })

  test('out of the working directories is asked about unless both link and target are allowed', async () => {
    expect(await behaviorOf(ReadTool, toFileInput('out/passwd'), { paths })).toBe('ask')
    expect(await behaviorOf(WriteTool, toFileInput('out/x'), { paths, mode: 'acceptEdits' })).toBe('ask')
    expect(
      await behaviorOf(WriteTool, toFileInput('out/x'), { paths, rules: { allow: ['Edit(out/**)', 'Edit(**)'] } }),
    ).toBe('ask')
    expect(
      await behaviorOf(WriteTool, toFileInput('out/x'), {
        paths,
        rules: { allow: ['Edit(out/**)', 'Edit(//etc/**)'] },
      }),
    ).toBe('allow')
    expect(await behaviorOf(WriteTool, toFileInput('out/x'), { paths, rules: { allow: ['Edit(//**)'] } })).toBe('allow')
  })

  test('into the working directories from outside is asked about', async () => {
    expect(await behaviorOf(ReadTool, toFileInput('/in/a'), { paths })).toBe('ask')
  })

  test('is denied if a rule denies the link or its target', async () => {
    const deny = (rule: string, path: string) =>
      behaviorOf(ReadTool, toFileInput(path), { paths, rules: { deny: [rule], allow: ['Read'] } })
    expect(await deny('Read(//etc/**)', 'out/passwd')).toBe('deny')
    expect(await deny('Read(out/**)', 'out/passwd')).toBe('deny')
    expect(await deny('Read(vault/**)', '/srv/vault/key')).toBe('deny')
    expect(await deny('Read(vault)', '/srv/vault/key')).toBe('deny')
    expect(await deny('Read(//in/**)', 'src/a')).toBe('deny')
  })

  test('in the path of the working directory does not put its files outside', async () => {
    const linkedPaths = createFakePaths({ links: { '/tmp': '/private/tmp' } })
    const pathContext = { ...PATH_CONTEXT, cwd: '/tmp/p' }
    expect(
      await behaviorOf(WriteTool, toFileInput('/private/tmp/p/a'), {
        paths: linkedPaths,
        pathContext,
        mode: 'acceptEdits',
      }),
    ).toBe('allow')
    expect(
      await behaviorOf(WriteTool, toFileInput('a'), {
        paths: linkedPaths,
        pathContext,
        rules: { allow: ['Edit(a)'] },
      }),
    ).toBe('allow')
  })
})

describe('hostile paths', () => {
  test('with a NUL character are denied despite every allow', async () => {
    const outcome = await decideOn(WriteTool, toFileInput('src/a\0.ts'), {
      mode: 'bypassPermissions',
      rules: { allow: ['Write'] },
    })
    expect(outcome).toMatchObject({ behavior: 'deny', reason: { type: 'input' } })
  })

  test('on a network share are asked about in every mode, and denied if a rule names the share', async () => {
    for (const path of ['\\\\server\\share\\x', '//server/share/x']) {
      const lookups: string[] = []
      const options = { paths: createFakePaths({ lookups }), rules: { allow: ['Read'] } } as const
      expect(await behaviorOf(ReadTool, toFileInput(path), { ...options, mode: 'bypassPermissions' })).toBe('ask')
      expect(
        await behaviorOf(ReadTool, toFileInput(path), { ...options, rules: { deny: ['Read(//server/**)'] } }),
      ).toBe('deny')
      expect(lookups.filter((path) => path.includes('server/share'))).toEqual([])
    }
  })

  test('that cannot be looked up are asked about in every mode', async () => {
    const paths: PathFacts = {
      look: () => {
        throw new Error('EACCES')
      },
    }
    expect(
      await behaviorOf(ReadTool, toFileInput('a'), { paths, mode: 'bypassPermissions', rules: { allow: ['Read'] } }),
    ).toBe('ask')
  })

  test('of a tool whose getPath throws are asked about in every mode', async () => {
    const brokenTool = createFixtureTool('Broken', {
      getPath: () => {
        throw new Error('bug')
      },
    })
    expect(await behaviorOf(brokenTool, {}, { mode: 'bypassPermissions', rules: { allow: ['Broken'] } })).toBe('ask')
  })

  test('that look like names of other resources are still judged as paths', async () => {
    const patch = { files: ['link:x'] }
    const paths = createFakePaths({ links: { '/project/link:x': '/home/dev/.bashrc' } })
    expect(await behaviorOf(PatchTool, patch, { paths, mode: 'bypassPermissions' })).toBe('ask')
    const todo = createFixtureTool('Todo', {
      needs: ['state'],
      resources: () => ({ writes: [{ thing: 'todo:list' }] }),
    })
    expect(await behaviorOf(todo, {}, { rules: { deny: ['Edit(**)', 'Edit'], allow: ['Todo'] } })).toBe('allow')
  })

  test.each(['.ENV', '.Env', '.env.', '.env ', '.env::$DATA', 'sub/.EnV...', '.e\u200cnv'])(
    'that spell a denied file as %s are denied if the file system treats them as that file',
    async (path) => {
      const paths = createFakePaths({ isCaseInsensitive: true })
      expect(
        await behaviorOf(ReadTool, toFileInput(path), { paths, rules: { deny: ['Read(.env)'], allow: ['Read'] } }),
      ).toBe('deny')
    },
  )

  test('that differ only in letter case are different files on a case-sensitive file system', async () => {
    expect(await behaviorOf(ReadTool, toFileInput('.ENV'), { rules: { deny: ['Read(.env)'] } })).toBe('allow')
  })
})

describe('a protected file', () => {
  test('cannot be written without a question in any mode, despite every allow rule', async () => {
    const rules = { allow: ['Write', 'Edit(**)'] }
    const modes = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const
    const answers = modes.map((mode) => behaviorOf(WriteTool, toFileInput('.git/hooks/pre-commit'), { mode, rules }))
    expect(await Promise.all(answers)).toEqual(['ask', 'ask', 'deny', 'ask', 'deny', 'ask'])
  })

  test.each(['acceptEdits', 'auto', 'bypassPermissions'] as const)(
    'is asked about in mode %s if it is .mcp.json, whether a file tool or a command writes it',
    async (mode) => {
      const options = { mode, rules: { allow: ['Write', 'Bash', 'Edit(**)'] } }
      const shell = createFakeShell({ 'echo x > .mcp.json': [{ redirects: ['.mcp.json'] }] })
      const safetyQuestion = {
        behavior: 'ask',
        reason: { type: 'safety', text: ".mcp.json is Haft's own settings or hooks" },
      }

      expect(await decideOn(WriteTool, toFileInput('.mcp.json'), options)).toMatchObject(safetyQuestion)
      expect(await decideOn(BashTool, { command: 'echo x > .mcp.json' }, { ...options, shell })).toMatchObject(
        safetyQuestion,
      )
    },
  )

  test('may be read without a question', async () => {
    expect(await behaviorOf(ReadTool, toFileInput('.git/config'))).toBe('allow')
  })

  test('is asked about if it is in a folder written as a whole, or if the host protects it', async () => {
    const wholeFolderTool = createFixtureTool('All', {
      needs: ['files'],
      resources: () => ({ writes: [{ path: 'src/' }] }),
    })
    const pathContext = { ...PATH_CONTEXT, protectedPaths: () => ['/project/scripts/check.sh'] }
    const paths = createFakePaths({ folders: ['/home', '/project'] })
    expect(await behaviorOf(wholeFolderTool, {}, { mode: 'bypassPermissions' })).toBe('ask')
    expect(await behaviorOf(WriteTool, toFileInput('/home'), { paths, mode: 'bypassPermissions' })).toBe('ask')
    expect(
      await behaviorOf(WriteTool, toFileInput('scripts/check.sh'), {
        pathContext,
        mode: 'bypassPermissions',
      }),
    ).toBe('ask')
    expect(
      await behaviorOf(WriteTool, toFileInput('scripts/other.sh'), {
        pathContext,
        mode: 'bypassPermissions',
      }),
    ).toBe('allow')
  })
})

test('a path through links on a real file system is judged by its target', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'haft-permissions-')))
  onTestFinished(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'project/secrets'), { recursive: true })
  await mkdir(join(root, 'outside'))
  await writeFile(join(root, 'project/secrets/key'), 'k')
  await symlink(join(root, 'outside'), join(root, 'project/out'))
  await symlink('secrets', join(root, 'project/alias'))
  const pathContext = { cwd: join(root, 'project'), homeDir: root }
  const options = { pathContext, paths: realPaths, rules: { deny: ['Read(secrets/**)'] } }

  const answers = ['alias/key', 'out/../project/secrets/key', 'out/x', 'plain', './/alias//./key'].map((path) =>
    behaviorOf(ReadTool, toFileInput(path), options),
  )

  expect(await Promise.all(answers)).toEqual(['deny', 'deny', 'ask', 'allow', 'deny'])
})

/** Resolves the existing part of a path, as the host's file system would. */
const realPaths: PathFacts = {
  async look(path) {
    const missingSegments: string[] = []
    for (let existingPath = path; ; existingPath = dirname(existingPath)) {
      try {
        return {
          realPath: join(await realpath(existingPath), ...missingSegments),
          isFolder: false,
          isCaseInsensitive: false,
        }
      } catch {
        missingSegments.unshift(existingPath.slice(dirname(existingPath).length))
      }
    }
  },
}

describe('a folder that is written as a whole', () => {
  const moveTool = createFixtureTool('Move', {
    needs: ['files'],
    resources: (input: { from: string }) => ({ writes: [{ path: input.from }] }),
  })
  const options = { mode: 'acceptEdits' } as const

  test('is asked about if it is or contains the start folder, the project or the home folder', async () => {
    const pathContext = { cwd: '/project/sub', startDir: '/project', projectDir: '/repo', homeDir: '/home/dev' }
    const permissions = createPermissionContext({
      mode: 'acceptEdits',
      additionalWorkingDirectories: [{ path: '/', source: 'session' }],
    })
    for (const from of ['/project', '..', '/repo', '/home/dev', '/home', '/', '/project/sub/..']) {
      expect(await behaviorOf(moveTool, { from }, { permissions, pathContext })).toBe('ask')
    }
    for (const from of ['/project', '.']) expect(await behaviorOf(moveTool, { from }, options)).toBe('ask')
    expect(await behaviorOf(moveTool, { from: 'src' }, options)).toBe('allow')
  })

  test('is asked about if it is the real path of a linked project', async () => {
    const paths = createFakePaths({ links: { '/project': '/data/real' } })
    expect(await behaviorOf(moveTool, { from: '/data/real' }, { ...options, paths })).toBe('ask')
  })

  test('is asked about if it contains a protected folder', async () => {
    const paths = createFakePaths({ folders: ['/project/sub', '/project/sub/.git', '/project/lib'] })
    const outcome = await decideOn(moveTool, { from: 'sub' }, { ...options, paths })
    expect([outcome.behavior, outcome.reason]).toEqual(['ask', { type: 'safety', text: 'sub contains .git' }])
    expect(await behaviorOf(moveTool, { from: 'lib' }, { ...options, paths })).toBe('allow')
  })
})

test('a question shows only the ends of a long path', async () => {
  const { message } = await decideOn(WriteTool, toFileInput(`.git/${'a'.repeat(5000)}/end`))
  expect(message.length).toBeLessThan(500)
  expect(message).toMatch(/ \.git\/a+…a+\/end \(5009 characters\) is git configuration\.$/)
})
