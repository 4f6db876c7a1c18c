import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import { createEntityDecoder } from './decode-entities.mjs'
import { MarkdownWriter, resolveUrl } from './markdown-writer.mjs'
import { type PageNode, PageParser } from './parse-page.mjs'

type Tree = string | readonly [name: string, attributes: Readonly<Record<string, string>>, ...children: Tree[]]

async function parse(html: string): Promise<Tree[]> {
  const page = new PageParser(html, await createEntityDecoder(html)).parse()
  const toTree = (node: PageNode): Tree => {
    if (node.type === 'text') return node.data
    page.attributeOf(node, '')
    const names = typeof node.attributes === 'string' ? [] : [...node.attributes.keys()]
    const attributes = Object.fromEntries(names.map((name) => [name, page.attributeOf(node, name) ?? '']))
    return [node.name, attributes, ...node.children.map(toTree)]
  }
  return page.document.children.map(toTree)
}

function parseWithLibrary(html: string): Tree[] {
  const roots: Tree[] = []
  const open: Tree[][] = [roots]
  const add = (node: Tree) => open.at(-1)?.push(node)
  const parser = new Parser({
    onopentag(name, attributes) {
      const element: Tree[] = [name, attributes as never]
      add(element as never)
      open.push(element)
    },
    ontext(data) {
      const siblings = open.at(-1)
      const last = siblings?.at(-1)
      const isText = typeof last === 'string' && (siblings === roots || (siblings?.length ?? 0) > 1)
      if (siblings !== undefined && isText) siblings[siblings.length - 1] = last + data
      else add(data)
    },
    onclosetag: () => void open.pop(),
  })
  parser.end(html)
  return roots
}

const PARTS = [
  ...['<p>', '</p>', '<b>', '</b>', '<i class="x">', '</i>', '<div id=a>', '</div>', '<ul>', '<li>', '</ul>', '<br>'],
  ...['<table>', '<tr>', '<td>', '</table>', '</br>', '</img>', '<dl>', '<dt>', '<dd>', '</dl>', '<h2>', '</h2 >'],
  ...['<a href="/x?a=1&amp;b=2">', "<a href='x>y' title=z>", '<a href=/path/>', '<A HREF="x"TITLE="y">', '</A>'],
  ...['<!-- a <b> -->', '<!-->', '<!doctype html>', '<?xml a?>', '<![CDATA[ x ]]>', '<svg><path d="m"/></svg>'],
  ...['<script>if (a<b) "</p>"</script>', '<style>p > b {}</style>', '<title>a &amp; <b></title>', '<img alt = "1">'],
  ...['text', ' ', '&amp;', '&copy;', '&notit;', '&#8217;', '&', 'a < b', 'a <3', '&ampx', '<option>', '<select>'],
]

test('broken pages are parsed like htmlparser2 parses them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...PARTS), { maxLength: 30 }), async (parts) => {
      const html = `${parts.join('')}.`
      expect(await parse(html)).toEqual(parseWithLibrary(html))
    }),
  )
})

test.each([
  ['<b>'.repeat(100_000), 'b'],
  [`${'<b>'.repeat(50_000)}${'</i>'.repeat(50_000)}`, 'b'],
  [`<p ${'a="'.repeat(100_000)}`, undefined],
  [`<p ${'='.repeat(300_000)}>`, 'p'],
  ['<!--'.repeat(100_000), undefined],
  ['<script>'.repeat(100_000), 'script'],
  ['</'.repeat(150_000), undefined],
])('a page that is built to be slow is parsed in linear time', async (html, firstName) => {
  const page = new PageParser(html, await createEntityDecoder(html)).parse()

  expect(page.document.children.find(({ type }) => type === 'tag')).toEqual(
    firstName === undefined ? undefined : expect.objectContaining({ name: firstName }),
  )
})

test.each([
  ...['/wiki/Fox_1', '//other.test/x', '/a/../b', '/a/./b', '/', '', '#part', '?q', 'next', '/a b', '/a(b)', '/ä'],
  ...['https://example.com/page?id=1&x=1', 'https://EXAMPLE.com/a', 'https://example.com', 'http://127.1/a'],
  ...['https://example.com/a/../b', 'https://xn--a.example/x', 'https://example.com:443/x', 'mailto:a@b.c', 'http://'],
])('the link %j is resolved like a URL', async (href) => {
  const base = 'https://site.test/folder/page?x'
  const page = new PageParser('', await createEntityDecoder('')).parse()

  expect(new MarkdownWriter(page, base).resolveUrl(href)).toBe(resolveUrl(href, base))
})
