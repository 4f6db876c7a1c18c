import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

/** Every module that importing the library loads, as Node reports it. */
async function listModulesLoadedBy(specifier: string): Promise<string[]> {
  const hooks = `export async function load(url, context, next) { process._rawDebug(url); return next(url, context) }`
  const register = `import { register } from 'node:module'; register('data:text/javascript,${encodeURIComponent(hooks)}')`
  const { stderr } = await run(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(register)}`,
    '--input-type=module',
    '-e',
    `await import('${specifier}')`,
  ])
  return stderr.split('\n').filter((line) => /^(file|node):/.test(line))
}

const { exports } = JSON.parse(await readFile('package.json', 'utf8')) as { exports: Record<string, unknown> }
const SUBPATHS = Object.entries(exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([subpath]) => subpath.replace('.', 'haft'))

/** `haft/fleet` serves its API over HTTP and computes when schedules are due. */
const OWN_MODULES: Readonly<Record<string, RegExp>> = { 'haft/fleet': /node:http$|node_modules\/croner\// }

test.each(SUBPATHS)('importing %s loads no terminal UI, no HTTP client and no model SDK', async (specifier) => {
  const ownModules = OWN_MODULES[specifier]
  const modules = (await listModulesLoadedBy(specifier)).filter((url) => ownModules?.test(url) !== true)

  expect(modules.some((url) => url.includes('/dist/lib/'))).toBe(true)
  expect(
    modules.filter((url) => /node:(https?|http2|net|tls)$|node_modules\/(?!(zod|unbash|diff)\/)/.test(url)),
  ).toEqual([])
})

test.each(SUBPATHS)('every documented name of %s is exported', async (specifier) => {
  expect(Object.keys(await import(specifier)).sort()).toMatchSnapshot()
})

test('the lock file names no registry', async () => {
  expect(await readFile('package-lock.json', 'utf8')).not.toContain('"resolved"')
})
