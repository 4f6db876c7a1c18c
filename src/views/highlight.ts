import type { StyledSpan, SyntaxTone } from './styled-line.js'

/** The definition of a language, for highlight.js. */
type LanguageDefinition = (library: HighlightLibrary) => unknown

/**
 * The languages that can be highlighted. Each is loaded on first use. `as string` hides the types of highlight.js,
 * which would add browser types to all files.
 */
const LOADERS: Readonly<Record<string, () => Promise<{ readonly default: LanguageDefinition }>>> = {
  bash: () => import('highlight.js/lib/languages/bash' as string),
  c: () => import('highlight.js/lib/languages/c' as string),
  cpp: () => import('highlight.js/lib/languages/cpp' as string),
  csharp: () => import('highlight.js/lib/languages/csharp' as string),
  css: () => import('highlight.js/lib/languages/css' as string),
  dart: () => import('highlight.js/lib/languages/dart' as string),
  diff: () => import('highlight.js/lib/languages/diff' as string),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile' as string),
  elixir: () => import('highlight.js/lib/languages/elixir' as string),
  go: () => import('highlight.js/lib/languages/go' as string),
  graphql: () => import('highlight.js/lib/languages/graphql' as string),
  haskell: () => import('highlight.js/lib/languages/haskell' as string),
  ini: () => import('highlight.js/lib/languages/ini' as string),
  java: () => import('highlight.js/lib/languages/java' as string),
  javascript: () => import('highlight.js/lib/languages/javascript' as string),
  json: () => import('highlight.js/lib/languages/json' as string),
  kotlin: () => import('highlight.js/lib/languages/kotlin' as string),
  less: () => import('highlight.js/lib/languages/less' as string),
  lua: () => import('highlight.js/lib/languages/lua' as string),
  makefile: () => import('highlight.js/lib/languages/makefile' as string),
  markdown: () => import('highlight.js/lib/languages/markdown' as string),
  perl: () => import('highlight.js/lib/languages/perl' as string),
  php: () => import('highlight.js/lib/languages/php' as string),
  powershell: () => import('highlight.js/lib/languages/powershell' as string),
  protobuf: () => import('highlight.js/lib/languages/protobuf' as string),
  python: () => import('highlight.js/lib/languages/python' as string),
  r: () => import('highlight.js/lib/languages/r' as string),
  ruby: () => import('highlight.js/lib/languages/ruby' as string),
  rust: () => import('highlight.js/lib/languages/rust' as string),
  scala: () => import('highlight.js/lib/languages/scala' as string),
  scss: () => import('highlight.js/lib/languages/scss' as string),
  sql: () => import('highlight.js/lib/languages/sql' as string),
  swift: () => import('highlight.js/lib/languages/swift' as string),
  typescript: () => import('highlight.js/lib/languages/typescript' as string),
  xml: () => import('highlight.js/lib/languages/xml' as string),
  yaml: () => import('highlight.js/lib/languages/yaml' as string),
}

/** File extensions and other names of languages. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{
    sh: 'bash',
    zsh: 'bash',
    shell: 'bash',
    console: 'bash',
    h: 'c',
    cc: 'cpp',
    cxx: 'cpp',
    hpp: 'cpp',
    cs: 'csharp',
  },
  ...{
    patch: 'diff',
    ex: 'elixir',
    exs: 'elixir',
    golang: 'go',
    gql: 'graphql',
    hs: 'haskell',
    toml: 'ini',
    cfg: 'ini',
  },
  ...{ js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'javascript', jsonc: 'json', jsonl: 'json' },
  ...{ ipynb: 'json', kt: 'kotlin', kts: 'kotlin', mk: 'makefile', md: 'markdown', pl: 'perl', pm: 'perl' },
  ...{ ps1: 'powershell', psm1: 'powershell', proto: 'protobuf', py: 'python', pyi: 'python', rb: 'ruby', rs: 'rust' },
  ...{
    sbt: 'scala',
    ts: 'typescript',
    tsx: 'typescript',
    mts: 'typescript',
    cts: 'typescript',
    html: 'xml',
    svg: 'xml',
  },
  ...{ xhtml: 'xml', vue: 'xml', svelte: 'xml', yml: 'yaml', 'c++': 'cpp', 'c#': 'csharp' },
}

/** Longer lines are not highlighted: they are minified code or data, and highlighting them is slow. */
const MAX_LINE_CHARS = 1_000
/** How much of an open construct, such as a multi-line comment, is highlighted again with each line. */
const MAX_CONTEXT_CHARS = 400

let library: HighlightLibrary | undefined
const loads = new Map<string, Promise<void>>()

/**
 * Finds the language for a file name, a Markdown info string or a language name; undefined if it cannot be highlighted.
 */
function findLanguage(nameOrFile: string | undefined): string | undefined {
  const name = nameOrFile?.trim().toLowerCase().split(/[\\/]/).at(-1) ?? ''
  const extension = name.split('.').at(-1) ?? ''
  for (const candidate of [name, extension]) {
    if (Object.hasOwn(LOADERS, candidate)) return candidate
    if (Object.hasOwn(ALIASES, candidate)) return ALIASES[candidate]
  }
  return undefined
}

/** Loads languages, so that text in them is highlighted from the first line. Unknown names are ignored. */
export async function loadLanguages(names: Iterable<string>): Promise<void> {
  const languages = [...names].map((name) => findLanguage(name)).filter((language) => language !== undefined)
  await Promise.all(languages.map(loadLanguage))
}

function loadLanguage(language: string): Promise<void> {
  const earlierLoad = loads.get(language)
  if (earlierLoad !== undefined) return earlierLoad
  const load = registerLanguage(language)
  loads.set(language, load)
  return load
}

async function registerLanguage(language: string): Promise<void> {
  try {
    const [core, definition] = await Promise.all([
      import('highlight.js/lib/core' as string) as Promise<{ readonly default: HighlightLibrary }>,
      LOADERS[language]?.(),
    ])
    library ??= core.default.newInstance()
    if (definition !== undefined) library.registerLanguage(language, definition.default)
  } catch {
    // Highlighting is optional: without the language, the text is drawn in one colour.
  }
}

/**
 * Highlights a text line by line. The cost of a line does not depend on the lines before it: of a construct that is
 * still open, at most `MAX_CONTEXT_CHARS` are highlighted again.
 */
export class LineHighlighter {
  readonly #language: string | undefined
  #context = ''

  constructor(nameOrFile: string | undefined) {
    this.#language = findLanguage(nameOrFile)
    if (this.#language !== undefined) void loadLanguage(this.#language)
  }

  /** Returns the spans of the next line. Until the language is loaded, they have no style. */
  next(line: string): StyledSpan[] {
    const language = this.#language
    if (language === undefined || line.length > MAX_LINE_CHARS || library?.getLanguage(language) === undefined) {
      return [{ text: line }]
    }
    try {
      return this.#highlight(line, language, library)
    } catch {
      // Highlighting is optional: the line is drawn in one colour.
      return [{ text: line }]
    }
  }

  #highlight(line: string, language: string, { highlight }: HighlightLibrary): StyledSpan[] {
    const source = this.#context + line
    const result = highlight(source, { language, ignoreIllegals: true })
    const contextLength = this.#context.length
    this.#context = result._top?.parent === undefined ? '' : shortenContext(`${source}\n`)
    const spans: StyledSpan[] = []
    collectSpans(result._emitter.rootNode.children, undefined, spans)
    return dropStart(spans, contextLength)
  }
}

/** The part of highlight.js that is used. */
interface HighlightLibrary {
  newInstance(): HighlightLibrary
  registerLanguage(name: string, definition: LanguageDefinition): void
  getLanguage(name: string): unknown
  readonly highlight: (text: string, options: { language: string; ignoreIllegals: boolean }) => TokenResult
}

/** The tokens of a text, before highlight.js turns them into HTML. */
interface TokenResult {
  readonly _emitter: { readonly rootNode: TokenNode }
  /** The open construct at the end of the text; the language itself has no parent. */
  readonly _top?: { readonly parent?: unknown }
}

interface TokenNode {
  readonly scope?: string
  readonly children: readonly (string | TokenNode)[]
}

/** Shortens the context to the line that opens the construct, or drops it if that is too long. */
function shortenContext(context: string): string {
  if (context.length <= MAX_CONTEXT_CHARS) return context
  const firstLine = context.slice(0, context.indexOf('\n') + 1)
  return firstLine.length <= MAX_CONTEXT_CHARS ? firstLine : ''
}

function collectSpans(nodes: TokenNode['children'], tone: SyntaxTone | undefined, spans: StyledSpan[]): void {
  for (const node of nodes) {
    if (typeof node === 'string') spans.push(tone === undefined ? { text: node } : { text: node, style: { tone } })
    else collectSpans(node.children, toneOf(node.scope) ?? tone, spans)
  }
}

const TONES: Readonly<Record<string, SyntaxTone>> = {
  ...{ keyword: 'keyword', literal: 'keyword', meta: 'keyword', doctag: 'keyword', deletion: 'keyword' },
  ...{ string: 'string', regexp: 'string', symbol: 'string', addition: 'string', link: 'string', char: 'string' },
  ...{ number: 'number', comment: 'comment', quote: 'comment' },
  ...{ title: 'name', name: 'name', attr: 'name', attribute: 'name', property: 'name', section: 'name', tag: 'name' },
  ...{ 'selector-tag': 'name', 'selector-class': 'name', 'selector-id': 'name', variable: 'name' },
  ...{ type: 'type', built_in: 'type', class: 'type' },
}

/**
 * Returns the tone of a scope. A scope such as `title.function` counts as its first part; text inside a substitution has no
 * tone.
 */
function toneOf(scope: string | undefined): SyntaxTone | undefined {
  if (scope === 'title.class') return 'type'
  return TONES[scope?.split('.')[0] ?? '']
}

function dropStart(spans: readonly StyledSpan[], length: number): StyledSpan[] {
  let remainingLength = length
  return spans.flatMap((span) => {
    const text = span.text.slice(remainingLength)
    remainingLength = Math.max(0, remainingLength - span.text.length)
    return text === '' ? [] : [{ ...span, text }]
  })
}
