import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { generateDocs } from '../scripts/docs/generated-docs.mjs'

test('the generated documents match the code', async () => {
  for (const [path, text] of Object.entries(await generateDocs())) {
    expect(await readFile(path, 'utf8'), `${path} is out of date: npm run docs`).toBe(text)
  }
})

describe('links between documents are valid', async () => {
  const pages = (await readdir('.', { recursive: true })).filter(
    (path) => path.endsWith('.md') && !/(^|\/)(node_modules|dist|\.cache)\//.test(path),
  )
  test.each(pages)('in %s', async (page) => {
    const text = await readFile(page, 'utf8')
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target ?? '')
    for (const target of targets)
      await readFile(new URL(target, new URL(page, `file://${process.cwd()}/`))).catch((error) => {
        // A folder is also a valid target.
        if (error.code !== 'EISDIR') throw error
      })
  })
})

test('the tests that documents name exist', async () => {
  const page = 'docs/decisions/0023-what-terminals-are-blamed-for.md'
  const rows = (await readFile(page, 'utf8')).split('\n').filter((line) => /^\| \d+ \|/.test(line))
  expect(rows).toHaveLength(18)
  for (const row of rows) {
    const parts = row.split(/\[[a-z]+\]\(\.\.\/\.\.\//).slice(1)
    for (const part of parts) {
      const source = await readFile(part.slice(0, part.indexOf(')')), 'utf8')
      for (const [, name = ''] of part.matchAll(/"([^"]+)"/g)) expect(source).toContain(name)
    }
  }
})
