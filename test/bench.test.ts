import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { computeCriticalPath } from '../bench/lib/critical-path.mjs'
import { createRatioRows, createUnmeasuredRow, isOverLimit } from '../bench/lib/report.mjs'

const RESTART_MODULE = 'lib/restart-clean.mjs'

test('every bench restarts in a clean environment before it measures anything', async () => {
  const benches = (await readdir('bench')).filter((name) => name.endsWith('.mjs'))
  const firstImports = await Promise.all(
    benches.map(async (name) => [name, await findFirstImport(join('bench', name))]),
  )

  expect(benches.length).toBeGreaterThan(10)
  expect(Object.fromEntries(firstImports)).toEqual(
    Object.fromEntries(benches.map((name) => [name, `./${RESTART_MODULE}`])),
  )
})

async function findFirstImport(file: string): Promise<string | undefined> {
  return /^import\s[^']*'([^']+)'/m.exec(await readFile(file, 'utf8'))?.[1]
}

test.each([
  [1, 1, false],
  [1.01, 1, true],
  [Number.NaN, 1, true],
  [Number.NEGATIVE_INFINITY, 1, true],
])('a figure of %d with a limit of %d is over the limit: %o', (ratio, limit, isOver) => {
  expect(isOverLimit(ratio, limit)).toBe(isOver)
  expect(createRatioRows([{ name: 'haft', median: ratio, ratio, limit }], 'ms')).toMatchObject([{ isOver }])
})

test('a figure that was not measured has no verdict', () => {
  expect(createUnmeasuredRow('haft to a peer')).toEqual({ name: 'haft to a peer', value: 'not measured' })
})

test('benches compare figures with limits only through isOverLimit', async () => {
  const names = (await readdir('bench', { recursive: true })).filter((name) => /^(lib\/)?[^/]+\.mjs$/.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join('bench', name), 'utf8')))

  const judgements = texts.flatMap((text) => [...text.matchAll(/\bisOver(?::| =) *(.*)/g)].map(([line]) => line))

  expect(judgements.length).toBeGreaterThan(15)
  expect(judgements.filter((line) => !line.includes('isOverLimit('))).toEqual([])
})

test('in the mixed bench, things conflict if their names are equal, and paths if one contains the other', () => {
  const list = { ms: 10, writes: [{ thing: 'todo:list' }] }
  const file = { ms: 10, writes: [{ path: 'todo:list' }] }

  expect(computeCriticalPath([list, file])).toBe(10)
  expect(computeCriticalPath([list, list])).toBe(20)
  expect(
    computeCriticalPath([
      { ms: 5, reads: [{ path: '/p' }] },
      { ms: 10, writes: [{ path: '/p/a' }] },
    ]),
  ).toBe(15)
  expect(
    computeCriticalPath([
      { ms: 5, writes: [{ thing: 'db' }] },
      { ms: 10, writes: [{ thing: 'db/users' }] },
    ]),
  ).toBe(10)
})

test('a process that a bench starts inherits neither certificates nor options of Node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-bench-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bench = join(folder, 'bench.mjs')
  await writeFile(
    bench,
    `import ${JSON.stringify(pathToFileURL(resolve('bench', RESTART_MODULE)).href)}
     import { execFileSync } from 'node:child_process'
     const code = 'console.log(process.env.NODE_EXTRA_CA_CERTS, process.env.NODE_OPTIONS, process.env.KEPT)'
     console.log(process.argv[2], execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim())
     process.exitCode = 3`,
  )
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: bench, NODE_OPTIONS: '--no-warnings', KEPT: 'kept' }

  const run = promisify(execFile)(process.execPath, [bench, 'argument'], { env })

  await expect(run).rejects.toMatchObject({ code: 3, stdout: 'argument undefined undefined kept\n' })
})
