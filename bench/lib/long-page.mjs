/**
 * Creates an article in HTML with the elements that pages are usually made of: sections, links, lists, tables, code, scripts
 * and navigation.
 * @param {number} length the approximate number of characters
 */
export function createLongPage(length) {
  const navigation = '<li class="nav-item"><a href="/topics" class="nav-link">Topics</a></li>'.repeat(60)
  const script = 'window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}'.repeat(60)
  let sections = ''
  for (let number = 1; sections.length < length - script.length - navigation.length - 300; number++)
    sections += createSection(number)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A long article</title><script>${script}</script></head>
<body><nav><ul>${navigation}</ul></nav><main><h1>A long article</h1>${sections}</main><footer>Imprint</footer></body></html>`
}

/** @param {number} number */
function createSection(number) {
  const parts = [createParagraph(number), createParagraph(number + 1), createParagraph(number + 2)]
  parts.push(number % 2 === 0 ? createTable(number) : createList(number))
  if (number % 5 === 0) parts.push(createCode(number))
  return `<section id="section-${number}" class="content"><h2>Section ${number}</h2>${parts.join('')}</section>\n`
}

/** @param {number} number */
function createParagraph(number) {
  return `<p class="text">The <b>quick</b> brown <a href="/wiki/Fox_${number}" title="Fox">fox number ${number}</a> jumps over the
<em>lazy</em> dog &amp; runs &ndash; see <a href="https://example.com/page?id=${number}&amp;x=1"><span class="ref">[${number}]</span></a> and <code>fox.jump(${number})</code>.</p>\n`
}

/** @param {number} number */
function createList(number) {
  const items = [1, 2, 3, 4].map(
    (item) => `<li><a href="/item/${number}/${item}">Item ${item}</a> with <span>text</span></li>`,
  )
  return `<ul>${items.join('\n')}</ul>\n`
}

/** @param {number} number */
function createTable(number) {
  const rows = [1, 2, 3].map(
    (row) => `<tr><td>n${row}</td><td>${number * row}</td><td><a href="#x${row}">note</a></td></tr>`,
  )
  return `<table><thead><tr><th>Name</th><th>Value</th><th>Note</th></tr></thead><tbody>${rows.join('')}</tbody></table>\n`
}

/** @param {number} number */
function createCode(number) {
  return `<pre><code class="language-js">${`const fox = jump(${number}) // over the dog\n`.repeat(6)}</code></pre>\n`
}
