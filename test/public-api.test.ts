import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** A public name, and the text before its declaration. */
interface PublicName {
  readonly name: string
  readonly leadingText: string
}

const SUBPATHS = readdirSync('src/api').map((file) => file.replace(/\.ts$/, ''))
const ENTRY_FILES = ['src/index.ts', ...SUBPATHS.map((name) => `src/api/${name}.ts`)]

/** TypeScript 7 has no compiler API; entries only re-export, so their text is enough. */
function listPublicNames(entry: string): PublicName[] {
  const text = readFileSync(entry, 'utf8')
  const exportPattern = /(\/\*\*[^\n]*\*\/\n)?export (?:type )?(?:\{([^}]*)\}|\* as (\w+)) from '([^']+)'\n/g
  expect(text.replace(exportPattern, '')).toBe('')
  return [...text.matchAll(exportPattern)].flatMap(([, comment = '', names, namespace, path = '']) => {
    if (names === undefined) return [{ name: namespace ?? '', leadingText: comment.trim() }]
    const moduleText = readFileSync(join(dirname(entry), path.replace(/\.js$/, '.ts')), 'utf8')
    const exportedNames = names.split(',').map((name) => name.replace(/^\s*(type )?/, '').trim())
    return exportedNames
      .filter((name) => name !== '')
      .map((name) => {
        const [declaredName = '', publicName = declaredName] = name.split(' as ')
        return { name: publicName, leadingText: findLeadingText(declaredName, moduleText) }
      })
  })
}

function findLeadingText(name: string, moduleText: string): string {
  const declaration = new RegExp(
    `^export (?:abstract |async )*(?:class|function\\*?|const|type|interface) ${name}\\b`,
    'm',
  )
  return moduleText.slice(0, declaration.exec(moduleText)?.index ?? 0).trimEnd()
}

test('haft exports at most 120 names, types included', () => {
  expect(listPublicNames('src/index.ts').length).toBeLessThanOrEqual(120)
})

test('CHANGELOG.md states how many names haft exports', () => {
  const count = listPublicNames('src/index.ts').length

  expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`\`haft\` exports ${count} names`)
})

test.each(ENTRY_FILES)('every name of %s has a doc comment', (entry) => {
  const undocumentedNames = listPublicNames(entry).filter(({ leadingText }) => !leadingText.endsWith('*/'))

  expect(undocumentedNames.map(({ name }) => name)).toEqual([])
})

test('every public name belongs to exactly one import', () => {
  const entriesByName = new Map<string, string[]>()
  // The names of haft/sdk are those of the Agent SDK, because programs change only their import.
  for (const entry of ENTRY_FILES.filter((path) => path !== 'src/api/sdk.ts')) {
    for (const { name } of listPublicNames(entry)) entriesByName.set(name, [...(entriesByName.get(name) ?? []), entry])
  }

  expect([...entriesByName].filter(([, entries]) => entries.length > 1)).toEqual([])
})

test('package.json has a subpath for every file in src/api', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }

  for (const name of SUBPATHS) {
    expect(exports[`./${name}`]).toEqual({ types: `./dist/types/api/${name}.d.ts`, default: `./dist/lib/${name}.js` })
  }
})

test('README.md lists every import', () => {
  const text = readFileSync('README.md', 'utf8')

  expect(SUBPATHS.filter((name) => !text.includes(`| \`haft/${name}\` |`))).toEqual([])
})
