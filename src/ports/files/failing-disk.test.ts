import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { mountUntilTestEnd, needsMount, testMount } from '../../testing/files/mounts.js'
import { createFiles } from './create-files.js'

let folder: string
let ownFolder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-unwilling-')))
  ownFolder = join(folder, 'small')
  mkdirSync(ownFolder)
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

testMount(`a write to a full disk keeps the old file and leaves no other file${needsMount}`, async () => {
  // A separate folder, because it can be removed only after the disk is unmounted.
  const fullDisk = realpathSync(mkdtempSync(join(tmpdir(), 'haft-full-')))
  onTestFinished(() => rmSync(fullDisk, { recursive: true }))
  mountUntilTestEnd(['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', fullDisk], fullDisk)
  const files = createFiles({ journalFolder: join(folder, 'journal') })
  for (const name of ['a', 'b']) writeFileSync(join(fullDisk, name), name.repeat(50_000))
  const tooMuchContent = Buffer.alloc(400_000, 'x')

  await expect(files.write(join(fullDisk, 'a'), tooMuchContent)).rejects.toMatchObject({ code: 'no_space' })
  await expect(files.write(join(fullDisk, 'deep/new'), tooMuchContent)).rejects.toMatchObject({ code: 'no_space' })
  const changes = [Buffer.from('small'), tooMuchContent].map((content, index) => ({
    kind: 'write' as const,
    path: join(fullDisk, index === 0 ? 'a' : 'b'),
    content,
  }))
  await expect(files.writeAll(changes)).rejects.toMatchObject({ code: 'no_space', path: join(fullDisk, 'b') })

  expect(readdirSync(fullDisk).sort()).toEqual(['a', 'b'])
  for (const name of ['a', 'b']) expect(readFileSync(join(fullDisk, name), 'utf8')).toBe(name.repeat(50_000))
})

/** Runs code as the user nobody, because root ignores permissions. */
async function runAsNobody(source: string): Promise<unknown> {
  const program = join(folder, 'program.mjs')
  await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
    external: ['@vscode/ripgrep'],
  })
  const identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', cwd: folder, ...identity })
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout)
}

test('a file operation without permission changes nothing, and its error states the reason', async () => {
  mkdirSync(join(folder, 'closed'))
  writeFileSync(join(folder, 'closed/a'), 'old')
  writeFileSync(join(ownFolder, 'a'), 'old')
  chmodSync(join(ownFolder, 'a'), 0o444)
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'closed'), 0o555)
  chmodSync(join(folder, 'closed/a'), 0o666)
  if (process.getuid?.() === 0) chownSync(ownFolder, 65534, 65534)

  const codes = await runAsNobody(`
    import { createFiles } from './create-files.ts'
    const files = createFiles({ journalFolder: ${JSON.stringify(join(ownFolder, 'journal'))} })
    const at = (name) => ${JSON.stringify(folder)} + '/' + name
    const code = (doing) => doing.then(() => 'done', (error) => error.code)
    const content = Buffer.from('new')
    console.log(JSON.stringify([
      await code(files.write(at('closed/a'), content)),
      await code(files.write(at('closed/deep/b'), content)),
      await code(files.write(at('small/a'), content)),
      await code(files.remove(at('closed/a'))),
      await code(files.writeAll([
        { kind: 'write', path: at('small/new'), content },
        { kind: 'write', path: at('closed/a'), content },
      ])),
    ]))
  `)

  expect(codes).toEqual(Array(5).fill('no_rights'))
  expect([readFileSync(join(folder, 'closed/a'), 'utf8'), readFileSync(join(ownFolder, 'a'), 'utf8')]).toEqual([
    'old',
    'old',
  ])
  expect(statSync(join(ownFolder, 'a')).mode & 0o777).toBe(0o444)
  expect(readdirSync(join(folder, 'closed'))).toEqual(['a'])
  expect(readdirSync(ownFolder).filter((name) => name !== 'journal')).toEqual(['a'])
})
