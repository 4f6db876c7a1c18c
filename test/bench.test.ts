import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const RESTART = 'lib/restart-clean.mjs'

test('every bench restarts in a clean environment before it measures anything', async () => {
  const benches = (await readdir('bench')).filter((name) => name.endsWith('.mjs'))
  const firstImports = await Promise.all(benches.map(async (name) => [name, await firstImportOf(join('bench', name))]))

  expect(benches.length).toBeGreaterThan(10)
  expect(Object.fromEntries(firstImports)).toEqual(Object.fromEntries(benches.map((name) => [name, `./${RESTART}`])))
})

async function firstImportOf(file: string): Promise<string | undefined> {
  return /^import\s[^']*'([^']+)'/m.exec(await readFile(file, 'utf8'))?.[1]
}

test('a process that a bench starts inherits neither certificates nor options of Node', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haft-bench-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bench = join(folder, 'bench.mjs')
  await writeFile(
    bench,
    `import ${JSON.stringify(pathToFileURL(resolve('bench', RESTART)).href)}
     import { execFileSync } from 'node:child_process'
     const code = 'console.log(process.env.NODE_EXTRA_CA_CERTS, process.env.NODE_OPTIONS, process.env.KEPT)'
     console.log(process.argv[2], execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim())
     process.exitCode = 3`,
  )
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: bench, NODE_OPTIONS: '--no-warnings', KEPT: 'kept' }

  const run = promisify(execFile)(process.execPath, [bench, 'argument'], { env })

  await expect(run).rejects.toMatchObject({ code: 3, stdout: 'argument undefined undefined kept\n' })
})
