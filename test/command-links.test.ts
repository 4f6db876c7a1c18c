import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { judgeCall } from '../src/cli/commands/permissions/judge-call.js'
import { createPermissionContext } from '../src/contract/permission/context.js'

let root: string
let project: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'haft-links-')))
  project = join(root, 'project')
  await mkdir(join(project, 'src/deep'), { recursive: true })
  await mkdir(join(root, 'other'))
  await writeFile(join(root, 'secret'), '')
  await writeFile(join(project, 'src/a.js'), '')
  await symlink('../secret', join(project, 'keylink'))
  await symlink('../other', join(project, 'folderlink'))
  await symlink('../../../secret', join(project, 'src/deep/x.key'))
  await symlink('src', join(project, 'inside'))
})
afterEach(() => rm(root, { recursive: true }))

async function decideBehavior(command: string): Promise<string> {
  const { outcome } = await judgeCall({
    toolName: 'Bash',
    input: { command },
    cwd: project,
    projectDir: project,
    homeDir: root,
    canConfine: () => true,
    permissions: createPermissionContext(),
  })
  return outcome.behavior
}

describe('a command that finds files by name', () => {
  test.each([
    'cat key*',
    'cat ./*link',
    'cat *',
    'ls */',
    'cat src/*/*',
    'for f in *; do cat "$f"; done',
    'for d in */; do ls "$d"; done',
    'for f in key*; do wc -l < "$f"; done',
    "find . -name '*.key' -exec cat {} +",
    'find . -print0 | xargs -0 cat',
    'cd src && cat ../key*',
    'cd folderlink && cat ../secret',
    'find . | xargs cat',
    'find src -print0 | { xargs -0 cat; } < list',
    'find src -type f -print0 | { head -c 5; xargs -0 cat; }',
    'find . -follow -type f',
    'find -L src',
    'ls -RL',
    'ls -L --recursive src',
    'du -aL src',
    'grep *',
    'echo */*',
    'echo folderlink/*',
    'for f in folderlink/*; do echo "$f"; done',
    'a=(folderlink/*); echo $a',
    "x='../other/*'; echo $x",
    'git -C folderlink log',
    'cd -P folderlink && echo *',
    'cd; echo *',
    'cd "$x" && echo *',
  ])('needs approval if one of the files is a link that leads outside: %s', async (command) => {
    expect(await decideBehavior(command)).toBe('ask')
  })

  test.each([
    'cat src/*.js',
    'cat inside/*',
    'ls s*/',
    'for f in src/*.js; do cat "$f"; done',
    'find . -type f -exec wc -l {} +',
    "find src -name '*.js' -print0 | xargs -0 cat",
    'cd src && cat ../src/a.js',
    'find src -type f | xargs wc -l',
    'rg -l x src | xargs head -5',
    'du -sh s*',
    'echo *',
    'for f in *; do echo "$f"; done',
    'grep -n x src/*.js',
    'ls -la src/*',
    'find src -type f | xargs grep -n x',
    'tr [a-z] [A-Z] < src/a.js',
  ])('runs if none of the files is a link that leads outside: %s', async (command) => {
    expect(await decideBehavior(command)).toBe('allow')
  })

  test.each(['grep x *', 'wc -l *', 'sha256sum *', 'cat *.js', 'for f in *; do grep x "$f"; done', 'ls */x'])(
    'needs approval only if a name would be read as an option: %s',
    async (command) => {
      await mkdir(join(project, 'odd/sub'), { recursive: true })
      await writeFile(join(project, 'odd/a.js'), '')
      expect(await decideBehavior(`cd odd && ${command}`)).toBe('allow')
      await mkdir(join(project, 'odd/-R.js'))
      expect(await decideBehavior(`cd odd && ${command}`)).toBe('ask')
      expect(await decideBehavior(`cd odd && ${command.replace('*', './*')}`)).toBe('allow')
    },
  )

  test.each(['x y.js', "it's.js", 'a\nb.js', 'x*.js', 'a b/c.js'])(
    'needs approval if xargs would split or change the name %j',
    async (name) => {
      await mkdir(dirname(join(project, 'src', name)), { recursive: true })
      await writeFile(join(project, 'src', name), '')
      expect(await decideBehavior("find src -type f -name '*.js' | xargs wc -l")).toBe('ask')
      expect(await decideBehavior("find src -type f -name '*.md' -print0 | xargs -0 wc -l")).toBe('allow')
    },
  )
})

test.each(['nm -D FILE', 'objdump -d FILE', 'readelf -h FILE', 'size FILE'])(
  'a program for object files needs approval for an archive, which may refer to other files: %s',
  async (template) => {
    const file = join(project, 'src.o')
    const command = template.replace('FILE', 'src.o')
    await writeFile(file, '\x7fELF')
    expect(await decideBehavior(command)).toBe('allow')
    await writeFile(file, '!<thin>\n')
    expect(await decideBehavior(command)).toBe('ask')
  },
)
