/**
 * How a call is displayed, as data. A tool returns a `View`; each surface (terminal, screen reader, editor, inspector)
 * draws it in its own way. A view has no colours, widths or escape sequences, and may contain any text: the surface
 * makes it safe to display. The views of an array are drawn in order: each continues the last line of the one before.
 */
export type View = string | readonly View[] | ViewNode

/** One element of a view. */
export type ViewNode =
  | TextView
  | MarkdownView
  | CodeView
  | DiffView
  | ListView
  | TableView
  | FieldsView
  | ProgressView
  | ImageView
  | LinkView
  | GroupView
  | CollapsibleView

/** The role of a text. A theme maps it to colours; a view must also be clear without colours. */
export type ViewTone = 'default' | 'muted' | 'accent' | 'success' | 'warning' | 'error' | 'path' | 'match'

/** Text in one style, part of a line. */
export interface TextView {
  readonly type: 'text'
  readonly text: string
  readonly tone?: ViewTone
  readonly bold?: boolean
  readonly italic?: boolean
  readonly strikethrough?: boolean
}

/** Text in Markdown, such as the model's answer. */
export interface MarkdownView {
  readonly type: 'markdown'
  readonly text: string
}

/** Source code or the output of a program: lines are kept as they are. */
export interface CodeView {
  readonly type: 'code'
  readonly text: string
  /** A file name or the name of a language. Without it the text is not highlighted. */
  readonly language?: string
  /** The number of the first line. Without it no line numbers are shown. */
  readonly firstLine?: number
}

/** The change of a file. */
export interface DiffView {
  readonly type: 'diff'
  readonly path: string
  readonly hunks: readonly DiffHunk[]
}

/** Consecutive lines of a change, each of which starts with ' ', '-' or '+'. Without line numbers, none are shown. */
export interface DiffHunk {
  readonly oldStart?: number
  readonly newStart?: number
  readonly lines: readonly string[]
}

/** Items, one below the other. */
export interface ListView {
  readonly type: 'list'
  readonly items: readonly View[]
  /** Whether the items are numbered from 1. */
  readonly isOrdered?: boolean
}

/** Rows of cells under column titles. */
export interface TableView {
  readonly type: 'table'
  readonly columns: readonly string[]
  readonly rows: readonly (readonly View[])[]
}

/** Labelled values, one per line. */
export interface FieldsView {
  readonly type: 'fields'
  readonly fields: readonly { readonly label: string; readonly value: View }[]
}

/** Work in progress. Without `total` the amount of work is unknown. */
export interface ProgressView {
  readonly type: 'progress'
  readonly label: string
  readonly done?: number
  readonly total?: number
}

/** An image. Surfaces that cannot display it show `alt`. */
export interface ImageView {
  readonly type: 'image'
  readonly alt: string
  readonly mediaType: string
  /** Base64. */
  readonly data: string
}

/** A link to a web address, or to a file (`file:`), optionally with a line. */
export interface LinkView {
  readonly type: 'link'
  readonly text: string
  readonly href: string
  readonly line?: number
}

/** Views that belong together, on one line (`inline`) or one below the other (`block`). */
export interface GroupView {
  readonly type: 'group'
  readonly layout: 'inline' | 'block'
  readonly children: readonly View[]
}

/** A summary with content that can be expanded. */
export interface CollapsibleView {
  readonly type: 'collapsible'
  readonly summary: View
  readonly content: View
}
