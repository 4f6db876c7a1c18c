import type {
  CodeView,
  CollapsibleView,
  DiffHunk,
  DiffView,
  FieldsView,
  GroupView,
  ImageView,
  LinkView,
  ListView,
  MarkdownView,
  ProgressView,
  TableView,
  TextView,
  View,
  ViewTone,
} from './views.js'

/** Creates text with a tone or another style. Plain text needs no builder: a string is a view. */
export function text(content: string, style: ViewTone | Omit<TextView, 'type' | 'text'> = {}): TextView {
  return { type: 'text', text: content, ...(typeof style === 'string' ? { tone: style } : style) }
}

/** Creates text in Markdown. */
export function markdown(content: string): MarkdownView {
  return { type: 'markdown', text: content }
}

/** Creates source code or the output of a program. `language` is a file name or the name of a language. */
export function code(content: string, options: Omit<CodeView, 'type' | 'text'> = {}): CodeView {
  return { type: 'code', text: content, ...options }
}

/** Creates the view of a change of a file. */
export function diff(path: string, hunks: readonly DiffHunk[]): DiffView {
  return { type: 'diff', path, hunks }
}

/** Creates items, one below the other. */
export function list(items: readonly View[], options: { readonly isOrdered?: boolean } = {}): ListView {
  return { type: 'list', items, ...options }
}

/** Creates a table: rows of cells under column titles. */
export function table(columns: readonly string[], rows: readonly (readonly View[])[]): TableView {
  return { type: 'table', columns, rows }
}

/** Creates labelled values, one per line. Labels without a value are left out. */
export function fields(values: Readonly<Record<string, View | undefined>>): FieldsView {
  const entries = Object.entries(values).flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]))
  return { type: 'fields', fields: entries }
}

/** Creates the view of work in progress, with the amounts if they are known. */
export function progress(label: string, amounts: Pick<ProgressView, 'done' | 'total'> = {}): ProgressView {
  return { type: 'progress', label, ...amounts }
}

/** Creates an image in Base64, with the text for surfaces that cannot display it. */
export function image(alt: string, mediaType: string, data: string): ImageView {
  return { type: 'image', alt, mediaType, data }
}

/** Creates a link to a web address or a `file:` URL. */
export function link(content: string, href: string): LinkView {
  return { type: 'link', text: content, href }
}

/** Creates a link to a file, and to a line of it. A relative path is relative to the working directory. */
export function fileLink(path: string, line?: number, content?: string): LinkView {
  const shownText = content ?? (line === undefined ? path : `${path}:${line}`)
  return { type: 'link', text: shownText, href: `file:${path}`, ...(line !== undefined && { line }) }
}

/** Puts views on one line. */
export function inline(...children: readonly View[]): GroupView {
  return { type: 'group', layout: 'inline', children }
}

/** Puts views one below the other. */
export function block(...children: readonly View[]): GroupView {
  return { type: 'group', layout: 'block', children }
}

/** Creates a summary with content that can be expanded. */
export function collapsible(summary: View, content: View): CollapsibleView {
  return { type: 'collapsible', summary, content }
}
