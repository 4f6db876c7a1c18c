import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFixtureTool, decideOn, readStatedCommand } from '../src/permissions/fixture-calls.js'
import { createNodePathFacts } from '../src/ports/paths/node-path-facts.js'
import { analyseCommand } from '../src/shell/analyse-command.js'

const bash = createFixtureTool('Bash', { needs: ['shell'], command: readStatedCommand, runsOnlyItsCommand: true })
let cwd = ''

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'look-inside-'))
  for (const folder of ['src/deep', 'keys', 'many', 'linked']) await mkdir(join(cwd, folder), { recursive: true })
  for (const file of ['.env', 'a.txt', 'src/a.ts', 'src/deep/b.ts', 'keys/a.pem', 'keys/readme.md'])
    await writeFile(join(cwd, file), '')
  await Promise.all(Array.from({ length: 2_001 }, (_, index) => writeFile(join(cwd, `many/${index}`), '')))
  await symlink('../.env', join(cwd, 'linked/x'))
})

afterAll(() => rm(cwd, { recursive: true }))

async function decideBehavior(command: string): Promise<string> {
  const { behavior } = await decideOn(
    bash,
    { command },
    {
      pathContext: { cwd, homeDir: '/home/dev' },
      shell: { analyse: ({ text }, folder) => analyseCommand(text, { cwd: folder, home: '/home/dev' }) },
      paths: createNodePathFacts(),
      rules: { allow: ['Bash'], deny: ['Read(.env)', 'Read(**/*.pem)'] },
    },
  )
  return behavior
}

test.each([
  'rg TODO src',
  'grep -r TODO src',
  'cat src/*',
  'cat *.txt',
  'cat keys/*.md',
  'for f in src/*; do wc -l "$f"; done',
  'find src -name "*.ts" -exec cat {} +',
  'mv a.txt b.txt',
  'mv src lib',
  'cp -r src copy',
  'rg TODO linked',
  'git commit -m "$m"',
  'rg TODO src; echo x > out.txt',
])('%s is allowed, because no file in the folder is denied', async (command) => {
  expect(await decideBehavior(command)).toBe('allow')
})

test.each([
  'rg TODO .',
  'grep -r TODO keys',
  'cat keys/*',
  'cat .e*',
  'cat k*/*',
  'grep -r x src k*',
  'for f in keys/*; do wc -l "$f"; done',
  'mv .env q',
  'mv .env q; cat q',
  'mv keys other',
  'cp .env q',
  'ln .env q',
  'cp -rL linked copy',
  'cat linked/*',
  'rg TODO many',
  'tar xf a.tar; cat src/*',
  'cp -r keys src; cat src/*',
  'echo x > src/.env; cat src/*',
  'npm run x && cat src/*',
  'git grep x',
  "git log -p -- 's*'",
  'git commit -m x "$f"',
  'git commit -m $m',
])('%s is not allowed, because it may reach a denied file', async (command) => {
  expect(await decideBehavior(command)).not.toBe('allow')
})
